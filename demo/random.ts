/** A seeded generator, so that the demo is the same on every machine. */
export type Random = {
  (): number
  between: (low: number, high: number) => number
  whole: (low: number, high: number) => number
  pick: <T>(of: readonly T[]) => T
}

export function random(seed: string): Random {
  let state = 2166136261
  for (const letter of seed) state = Math.imul(state ^ letter.charCodeAt(0), 16777619)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + next() * (high - low)
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1))
  return Object.assign(next, {
    between,
    whole,
    pick: <T>(of: readonly T[]) => of[whole(0, of.length - 1)]!,
  })
}
