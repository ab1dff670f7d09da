/** A seeded generator, so that the demo is the same on every machine. */
export type Random = {
  (): number
  between: (low: number, high: number) => number
  /** Includes both bounds. */
  integer: (low: number, high: number) => number
  pick: <T>(values: readonly T[]) => T
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
  const integer = (low: number, high: number) => Math.floor(between(low, high + 1))
  return Object.assign(next, {
    between,
    integer,
    pick: <T>(values: readonly T[]) => values[integer(0, values.length - 1)]!,
  })
}
