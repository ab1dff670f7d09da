import { refuse } from '../core/runtime/errors.ts'
import type { Visibility } from '../listings/fields/fields.ts'
import { normalizeTags } from '../listings/fields/taxonomy.ts'
import {
  type Field,
  flag,
  invalidField,
  markdown,
  record,
  wholeNumber,
} from '../listings/fields/text.ts'
import { canBeBought } from '../listings/listing/visibility.ts'

const HOUR = 60 * 60

export const licenceSources = ['purchase', 'free', 'grant'] as const
export const tagLimits = {
  suggestions: 5,
  votes_to_show: 3,
  shown: 10,
  play_seconds: HOUR,
} as const
export const reviewLimits = {
  quality: 5,
  text: 4000,
  reply: 2000,
  shows_play_seconds: HOUR,
} as const
/** A first heartbeat has no earlier one to measure from; ten minutes is how long one counts as "playing now". */
export const FIRST_HEARTBEAT_SECONDS = 600

export type LicenceSource = (typeof licenceSources)[number]
/** What a person holds of a listing: a copy from somewhere or none, and whether the listing costs something today. */
export type Holding = { source: LicenceSource | null; is_paid: boolean }
export type TagVotes = { tag: string; votes: number }
export type Review = {
  enjoyed: boolean
  quality: number
  would_play_with_friends: boolean | null
  text: string
}
/** One review, or `count` of them that said the same. */
export type ReviewVotes = Omit<Review, 'text'> & { count?: number }
export type ReviewSummary = {
  count: number
  enjoyed: number
  quality_avg: number | null
  quality_counts: Record<'1' | '2' | '3' | '4' | '5', number>
  would_play_with_friends: number
}

/** What can be taken for free: what is out, and costs nothing. */
export function checkClaim({
  visibility,
  is_paid,
}: {
  visibility: Visibility
  is_paid: boolean
}): void {
  if (!canBeBought({ visibility }))
    refuse(
      'CONFLICT',
      { field: 'visibility' },
      'This page is not out yet; its owner can grant copies',
    )
  if (is_paid) refuse('DOWNLOAD_REQUIRES_PURCHASE')
}

/** Who may review: whoever bought or was given a copy; a copy claimed for free counts only while the game is free. */
export function checkMayReview({ source, is_paid }: Holding): void {
  if (!source) refuse('COPY_REQUIRED')
  if (source === 'free' && is_paid)
    refuse('COPY_REQUIRED', undefined, 'This game has a price now; buy it to review it')
}

/** Who may suggest tags: whoever played for an hour. */
export function checkPlayedEnough(play_seconds: number): void {
  if (play_seconds < tagLimits.play_seconds)
    refuse('NOT_PLAYED_ENOUGH', { play_seconds, needed_seconds: tagLimits.play_seconds })
}

/** All the tags one player suggests for a game; an empty list takes them back. */
export function checkSuggestions(value: unknown): string[] {
  const at: Field = { refusal: 'INVALID_COMMUNITY_TAG', field: 'tags' }
  const tags = normalizeTags(at, value)
  if (tags.length > tagLimits.suggestions)
    invalidField(at, `suggest at most ${tagLimits.suggestions} tags; this list has ${tags.length}`)
  return tags
}

/** The community tags a page shows, most suggested first. Hiding a tag keeps its votes. */
export function shownTags(
  votes: readonly TagVotes[],
  developer_tags: readonly string[],
  hidden: readonly string[],
): TagVotes[] {
  const left_out = new Set([...developer_tags, ...hidden])
  return votes
    .filter(({ tag, votes }) => votes >= tagLimits.votes_to_show && !left_out.has(tag))
    .sort((a, b) => b.votes - a.votes || (a.tag < b.tag ? -1 : 1))
    .slice(0, tagLimits.shown)
}

export function checkReview(body: unknown): Review {
  const { enjoyed, quality, would_play_with_friends: friends, text } = record(at('review'), body)
  return {
    enjoyed: flag(at('enjoyed'), enjoyed),
    quality: wholeNumber(at('quality'), quality, 1, reviewLimits.quality),
    would_play_with_friends:
      friends === undefined || friends === null
        ? null
        : flag(at('would_play_with_friends'), friends),
    text: markdown(at('text'), text, reviewLimits.text),
  }
}

/** The developer's answer; empty takes it away. */
export function checkReply(value: unknown): string {
  const text = markdown(at('text'), value, reviewLimits.reply)
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

/** Beside a review, play time is shown once it says something. */
export function shownPlaySeconds(play_seconds: number): number | null {
  return play_seconds >= reviewLimits.shows_play_seconds ? play_seconds : null
}

/** Seconds a heartbeat adds: what it claims, but never more than really went by since the last one (null: there was none). */
export function creditSeconds(claimed: unknown, wall_seconds_since_last: number | null): number {
  if (typeof claimed !== 'number' || !Number.isFinite(claimed) || claimed < 0) {
    invalidField(
      { refusal: 'MALFORMED', field: 'seconds' },
      'send the seconds played since the last heartbeat, 0 or more',
    )
  }
  const most = wall_seconds_since_last ?? FIRST_HEARTBEAT_SECONDS
  return Math.max(0, Math.floor(Math.min(claimed, most)))
}

function at(field: string): Field {
  return { refusal: 'INVALID_REVIEW', field }
}
