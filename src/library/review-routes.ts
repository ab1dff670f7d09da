import { type Static, Type } from 'typebox'
import { checkMayPublish } from '../accounts/people/suspension.ts'
import { developer, player, viewer } from '../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../core/http/paging.ts'
import { Body, Checked, Nullable, nameSchemas, route, Timestamp, Uid } from '../core/http/route.ts'
import type { Addresses } from '../core/runtime/config.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { isUuid, uuidv7 } from '../core/security/crypto.ts'
import { perAccount } from '../core/security/limits.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { canEdit, standingOf } from '../listings/listing/visibility.ts'
import { openPage } from '../listings/page/page.ts'
import { profileImageUrl } from '../listings/profiles/images.ts'
import { requireHolding } from './copies.ts'
import { withLockedListing } from './copy-queries.ts'
import {
  deleteReview,
  isReviewRemoved,
  type ReviewRow,
  readReviews,
  saveReply,
  saveReview,
} from './review-queries.ts'
import {
  checkMayReview,
  checkReply,
  checkReview,
  reviewLimits,
  reviewSummary,
  shownPlaySeconds,
} from './reviews.ts'

const params = Type.Object({ uid: Type.String() })
const count = Type.Integer()

const ReviewData = Type.Object({
  uid: Uid,
  username: Type.String(),
  has_profile: Type.Optional(
    Type.Boolean({ description: 'Left out unless the person has a public profile' }),
  ),
  avatar: Type.Optional(
    Type.String({ description: 'Left out unless the person has a public profile with an avatar' }),
  ),
  enjoyed: Type.Boolean(),
  quality: Type.Integer(),
  would_play_with_friends: Nullable(Type.Boolean()),
  text: Type.String(),
  play_seconds: Type.Optional(Type.Integer({ description: 'Left out below one hour' })),
  created_at: Timestamp,
  updated_at: Timestamp,
  reply: Type.Optional(Type.Object({ text: Type.String(), at: Timestamp })),
})
nameSchemas({ Review: ReviewData })

const SummaryData = Type.Object({
  count,
  enjoyed: count,
  quality_avg: Nullable(Type.Number()),
  quality_counts: Type.Object({ 1: count, 2: count, 3: count, 4: count, 5: count }),
  would_play_with_friends: count,
})

function reviewData(
  addresses: Addresses,
  {
    reply_text,
    replied_at,
    play_seconds,
    created_at,
    updated_at,
    has_profile,
    avatar,
    ...row
  }: ReviewRow,
): Static<typeof ReviewData> {
  const played = shownPlaySeconds(play_seconds)
  return {
    ...row,
    ...(has_profile && { has_profile }),
    ...(avatar && { avatar: profileImageUrl(addresses, avatar) }),
    ...(played === null ? {} : { play_seconds: played }),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    ...(reply_text === null ? {} : { reply: { text: reply_text, at: replied_at!.toISOString() } }),
  }
}

export const readReviewsRoute = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/reviews',
  summary: 'List the reviews of a listing, newest first, with a summary',
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
    return {
      summary,
      items: items.map((row) => reviewData(core.addresses, row)),
      total: summary.count,
      page,
      page_size,
    }
  },
})

/** Also for a page that is not public, and with a filter for reviews without a reply. */
export const listOwnReviews = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/reviews',
  summary:
    'List the reviews of your listing, newest first; `unreplied` selects those without a reply',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params,
  query: Type.Object({ unreplied: Type.Boolean({ default: false }), ...pageQuery }),
  data: Type.Object({ summary: SummaryData, items: Type.Array(ReviewData), ...pageData }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...window } = paging(query)
    const { items, votes, unreplied } = await readReviews(sql, uid, {
      ...window,
      unreplied: query.unreplied,
    })
    const summary = reviewSummary(votes)
    return {
      summary,
      items: items.map((row) => reviewData(core.addresses, row)),
      total: query.unreplied ? unreplied : summary.count,
      page,
      page_size,
    }
  },
})

const refuseRemoved = () =>
  refuse(
    'FORBIDDEN',
    undefined,
    explain(
      'review_removed',
      'Moderators have removed your review of this game; see the statement of reasons',
    ),
  )

export const writeReview = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/review',
  summary: 'Write or replace your review of a game you have a copy of',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params,
  body: Body({
    enjoyed: Type.Optional(Checked(Type.Boolean({ description: 'Required' }))),
    quality: Type.Optional(
      Checked(
        Type.Integer({
          minimum: 1,
          maximum: reviewLimits.quality,
          description: 'From 1 (poor) to 5 (great); required',
        }),
      ),
    ),
    would_play_with_friends: Type.Optional(Checked(Nullable(Type.Boolean()))),
    text: Type.Optional(
      Checked(Type.String({ maxLength: reviewLimits.text, description: 'Markdown' })),
    ),
  }),
  data: ReviewData,
  errors: [
    'NOT_FOUND',
    'EMAIL_NOT_VERIFIED',
    'OWN_GAME',
    'COPY_REQUIRED',
    'FORBIDDEN',
    'INVALID_REVIEW',
  ],
  async handle({ core, sql, who, params, body }) {
    checkMayPublish(who)
    const listing = await openPage(core, who, params.uid)
    if (canEdit(standingOf(who, listing))) refuse('OWN_GAME')
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    checkMayReview(await requireHolding(sql, who, listing))
    const review = checkReview(body)
    const keys = { uid: uuidv7(), user_uid: who.user_uid, game_uid: listing.uid }
    const row = await withLockedListing(sql, listing.uid, async (tx) => {
      if (await isReviewRemoved(tx, keys)) refuseRemoved()
      return saveReview(tx, keys, review)
    })
    return reviewData(core.addresses, row ?? refuse('NOT_FOUND'))
  },
})

export const deleteReviewRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/games/:uid/review',
  summary: 'Delete your review',
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
  summary: 'Reply to a review of your listing; an empty text removes the reply',
  auth: developer('mcp:catalog.write'),
  params: Type.Object({ uid: Type.String(), review_uid: Type.String() }),
  body: Body({
    text: Type.Optional(
      Checked(Type.String({ maxLength: reviewLimits.reply, description: 'Markdown' })),
    ),
  }),
  data: ReviewData,
  errors: ['NOT_FOUND', 'INVALID_REVIEW'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { review_uid } = params
    const text = checkReply(body.text)
    const row = isUuid(review_uid)
      ? await withLockedListing(sql, uid, (tx) =>
          saveReply(tx, { game_uid: uid, review_uid }, text),
        )
      : undefined
    return reviewData(core.addresses, row ?? refuse('NOT_FOUND'))
  },
})

export const reviewRoutes = [
  readReviewsRoute,
  writeReview,
  deleteReviewRoute,
  listOwnReviews,
  replyToReview,
]
