/** How many deliveries go to one host at once, in one process: a host that many games write to, and that hangs, must not take every place. */
const MOST_PER_HOST = 16

const busy = new Map<string, number>()

/** Answers how to leave again, or nothing when the host is full. */
export function acquireHostSlot(url: string): (() => void) | undefined {
  const { host } = new URL(url)
  const inside = busy.get(host) ?? 0
  if (inside >= MOST_PER_HOST) return undefined
  busy.set(host, inside + 1)
  return () => {
    const left = busy.get(host)! - 1
    if (left) busy.set(host, left)
    else busy.delete(host)
  }
}
