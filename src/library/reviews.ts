import { checkAll, refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { HOUR } from '../core/runtime/units.ts'
import { type Field, flag, markdown, record, wholeNumber } from '../listings/fields/text.ts'
import type { Holding } from './copies.ts'

export const reviewLimits = {
  quality: 5,
  text: 4000,
  reply: 2000,
  /** From here on, the play time is shown beside the review. */
  shows_play_seconds: HOUR,
} as const

export type Review = {
  enjoyed: boolean
  quality: number
  would_play_with_friends: boolean | null
  text: string
}
/** One review, or `count` reviews with the same answers. */
export type ReviewVotes = Omit<Review, 'text'> & { count?: number }
export type ReviewSummary = {
  count: number
  enjoyed: number
  quality_avg: number | null
  quality_counts: Record<'1' | '2' | '3' | '4' | '5', number>
  would_play_with_friends: number
}

/**
 * A bought or given copy allows a review; a copy claimed for free allows one only while the game is
 * free.
 */
export function checkMayReview({ source, is_paid }: Holding): void {
  if (!source) refuse('COPY_REQUIRED')
  if (source === 'free' && is_paid)
    refuse(
      'COPY_REQUIRED',
      undefined,
      explain('buy_to_review', 'This game has a price now; buy it to review it'),
    )
}

export function checkReview(body: unknown): Review {
  const {
    enjoyed,
    quality,
    would_play_with_friends: friends,
    text,
  } = record(fieldOf('review'), body)
  return checkAll({
    enjoyed: () => flag(fieldOf('enjoyed'), enjoyed),
    quality: () => wholeNumber(fieldOf('quality'), quality, 1, reviewLimits.quality),
    would_play_with_friends: () =>
      friends === undefined || friends === null
        ? null
        : flag(fieldOf('would_play_with_friends'), friends),
    text: () => markdown(fieldOf('text'), text, reviewLimits.text),
  })
}

/** The developer's reply; an empty one removes it. */
export function checkReply(value: unknown): string {
  const text = markdown(fieldOf('text'), value, reviewLimits.reply)
  return text.trim() === '' ? '' : text
}

export function reviewSummary(reviews: Iterable<ReviewVotes>): ReviewSummary {
  const summary: ReviewSummary = {
    count: 0,
    enjoyed: 0,
    quality_avg: null,
    quality_counts: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
    would_play_with_friends: 0,
  }
  let quality_sum = 0
  for (const { enjoyed, quality, would_play_with_friends, count = 1 } of reviews) {
    summary.count += count
    if (enjoyed) summary.enjoyed += count
    if (would_play_with_friends) summary.would_play_with_friends += count
    summary.quality_counts[quality as 1] += count
    quality_sum += quality * count
  }
  if (summary.count) summary.quality_avg = Math.round((quality_sum / summary.count) * 100) / 100
  return summary
}

/** The play time shown beside a review, or null while it is too short. */
export function shownPlaySeconds(play_seconds: number): number | null {
  return play_seconds >= reviewLimits.shows_play_seconds ? play_seconds : null
}

const fieldOf = (field: string): Field => ({ refusal: 'INVALID_REVIEW', field })
