/**
 * How many deliveries go to one host at once from one process. Without it, a host that many games
 * deliver to and that hangs would take every slot of the worker.
 */
const MAX_PER_HOST = 16

const used = new Map<string, number>()

/** Returns the function that frees the slot, or undefined if the host has no free slot. */
export function acquireHostSlot(url: string): (() => void) | undefined {
  const { host } = new URL(url)
  const count = used.get(host) ?? 0
  if (count >= MAX_PER_HOST) return undefined
  used.set(host, count + 1)
  return () => {
    const remaining = used.get(host)! - 1
    if (remaining) used.set(host, remaining)
    else used.delete(host)
  }
}
