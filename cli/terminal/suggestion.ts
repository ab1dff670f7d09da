/** The known word someone most likely meant; nothing when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const asked = word.toLowerCase()
  const limit = Math.max(1, Math.floor(asked.length / 3))
  return known
    .map((one) => ({
      one,
      distance: one.startsWith(asked) && asked.length > 2 ? 1 : distance(asked, one.toLowerCase()),
    }))
    .filter((each) => each.distance <= limit)
    .sort((a, b) => a.distance - b.distance)[0]?.one
}

/** How many letters to add, drop, change or swap with their neighbour. */
export function distance(a: string, b: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next[j] = Math.min(row![j]! + 1, next[j - 1]! + 1, row![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j]!, before![j - 2]! + 1)
    }
    ;[before, row] = [row, next]
  }
  return row![b.length]!
}
