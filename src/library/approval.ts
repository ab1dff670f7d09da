/** The 95th percentile of the normal distribution, two-sided. */
const Z = 1.96

/**
 * The share of players who enjoyed a game that its reviews prove: the lower bound of the Wilson
 * score interval. Few reviews prove little, so one happy player does not outrank a hundred.
 */
export function provenApproval(enjoyed: number, count: number): number {
  if (count === 0) return 0
  const share = enjoyed / count
  const z2 = Z * Z
  const margin = Z * Math.sqrt((share * (1 - share) + z2 / (4 * count)) / count)
  return (share + z2 / (2 * count) - margin) / (1 + z2 / count)
}

/** A share of players who enjoyed a game says something from this number of reviews on. */
const MIN_REVIEWS = 3

/** The approval in percent that the search can require. */
export const approvalLevels = ['60', '70', '80', '90'] as const

/** What the filter means to those who use it. */
export const APPROVAL_HELP =
  'At least this percentage of players enjoyed it, by three or more reviews'

/** The levels that a listing reaches. */
export const reachedLevels = (enjoyed: number, count: number): string[] =>
  count < MIN_REVIEWS
    ? []
    : approvalLevels.filter((percent) => enjoyed * 100 >= count * Number(percent))
