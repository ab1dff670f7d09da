/** The known word that was most likely meant, if one is close enough. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase()
  const limit = Math.max(1, Math.floor(typed.length / 3))
  return known
    .map((candidate) => ({
      candidate,
      distance:
        candidate.startsWith(typed) && typed.length > 2
          ? 1
          : distance(typed, candidate.toLowerCase()),
    }))
    .filter((match) => match.distance <= limit)
    .sort((a, b) => a.distance - b.distance)[0]?.candidate
}

/** Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j]!, before[j - 2]! + 1)
    }
    before = row
    row = next
  }
  return row[b.length]!
}
