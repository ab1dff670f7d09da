/** A number with its noun, for operators: `1 object`, `2 objects`. */
export const counted = (count: number | bigint, noun: string, plural = `${noun}s`) =>
  `${count} ${Number(count) === 1 ? noun : plural}`
