import { type Static, Type } from 'typebox'
import { developer, player, viewer } from '../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../core/http/paging.ts'
import { Body, Nullable, route, Timestamp, Uid } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { isUuid, uuidv7 } from '../core/security/crypto.ts'
import { perAccount } from '../core/security/limits.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { canEdit, standingOf } from '../listings/listing/visibility.ts'
import { openPage } from '../listings/page/page.ts'
import { holdingOf } from './copy.ts'
import {
  checkMayReview,
  checkReply,
  checkReview,
  reviewSummary,
  shownPlaySeconds,
} from './library-rules.ts'
import { onPage } from './queries.ts'
import {
  deleteReview,
  type ReviewRow,
  readReviews,
  saveReply,
  saveReview,
} from './review-queries.ts'

const params = Type.Object({ uid: Type.String() })
const count = Type.Integer()

const ReviewData = Type.Object({
  uid: Uid,
  username: Type.String(),
  enjoyed: Type.Boolean(),
  quality: Type.Integer(),
  would_play_with_friends: Nullable(Type.Boolean()),
  text: Type.String(),
  play_seconds: Type.Optional(Type.Integer({ description: 'From an hour on' })),
  created_at: Timestamp,
  updated_at: Timestamp,
  reply: Type.Optional(Type.Object({ text: Type.String(), at: Timestamp })),
})

const SummaryData = Type.Object({
  count,
  enjoyed: count,
  quality_avg: Nullable(Type.Number()),
  quality_counts: Type.Object({ 1: count, 2: count, 3: count, 4: count, 5: count }),
  would_play_with_friends: count,
})

function shown({
  reply_text,
  replied_at,
  play_seconds,
  created_at,
  updated_at,
  ...row
}: ReviewRow): Static<typeof ReviewData> {
  const played = shownPlaySeconds(play_seconds)
  return {
    ...row,
    ...(played === null ? {} : { play_seconds: played }),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    ...(reply_text === null ? {} : { reply: { text: reply_text, at: replied_at!.toISOString() } }),
  }
}

export const readReviewsRoute = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/reviews',
  summary: 'Reviews of a listing, newest first, and their summary',
  auth: viewer,
  params: Type.Object({ game_id: Type.String() }),
  query: Type.Object(pageQuery),
  data: Type.Object({ summary: SummaryData, items: Type.Array(ReviewData), ...pageData }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, query }) {
    const { uid } = await openPage(core, who, params.game_id)
    const { page, page_size, ...window } = paging(query)
    const { items, votes } = await readReviews(sql, uid, window)
    const summary = reviewSummary(votes)
    return { summary, items: items.map(shown), total: summary.count, page, page_size }
  },
})

/** Of a page that is not public, too, and those that wait for an answer by themselves. */
export const listOwnReviews = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/reviews',
  summary:
    'Reviews of your listing, newest first, and their summary; with `unreplied` those you have not answered',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params,
  query: Type.Object({ unreplied: Type.Boolean({ default: false }), ...pageQuery }),
  data: Type.Object({ summary: SummaryData, items: Type.Array(ReviewData), ...pageData }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...window } = paging(query)
    const { items, votes, unreplied } = await readReviews(sql, uid, window, query.unreplied)
    const summary = reviewSummary(votes)
    return {
      summary,
      items: items.map(shown),
      total: query.unreplied ? unreplied : summary.count,
      page,
      page_size,
    }
  },
})

export const writeReview = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/review',
  summary: 'Your one review of a game you own; replaces the one before',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params,
  body: Body({
    enjoyed: Type.Optional(Type.Unknown({ description: 'true or false; needed' })),
    quality: Type.Optional(Type.Unknown({ description: '1 to 5; needed' })),
    would_play_with_friends: Type.Optional(Type.Unknown({ description: 'true, false or null' })),
    text: Type.Optional(Type.Unknown({ description: 'Markdown, up to 4,000 characters' })),
  }),
  data: ReviewData,
  errors: ['NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'OWN_GAME', 'COPY_REQUIRED', 'INVALID_REVIEW'],
  async handle({ core, sql, who, params, body }) {
    const listing = await openPage(core, who, params.uid)
    if (canEdit(standingOf(who, listing))) refuse('OWN_GAME')
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    checkMayReview(await holdingOf(sql, who, listing))
    const review = checkReview(body)
    const row = await onPage(sql, listing.uid, (tx) =>
      saveReview(tx, who.user_uid, listing.uid, uuidv7(), review),
    )
    return shown(row ?? refuse('NOT_FOUND'))
  },
})

export const deleteReviewRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/games/:uid/review',
  summary: 'Take your review back',
  auth: player('player:write'),
  params,
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    if (!(await deleteReview(sql, who.user_uid, params.uid))) refuse('NOT_FOUND')
    return {}
  },
})

export const replyToReview = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/reviews/:review_uid/reply',
  summary: 'Answer a review of your listing; an empty text takes the answer away',
  auth: developer('mcp:catalog.write'),
  params: Type.Object({ uid: Type.String(), review_uid: Type.String() }),
  body: Body({
    text: Type.Optional(Type.Unknown({ description: 'Markdown, up to 2,000 characters' })),
  }),
  data: ReviewData,
  errors: ['NOT_FOUND', 'INVALID_REVIEW'],
  async handle({ sql, who, params: { uid: ref, review_uid }, body }) {
    const { uid } = await findForEditor(sql, who, ref)
    const text = checkReply(body.text)
    const row = isUuid(review_uid)
      ? await onPage(sql, uid, (tx) => saveReply(tx, uid, review_uid, text))
      : undefined
    return shown(row ?? refuse('NOT_FOUND'))
  },
})
