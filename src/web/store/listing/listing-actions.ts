import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { choosePlayerChannelRoute } from '../../../builds/channels/routes.ts'
import { errors } from '../../../core/runtime/errors.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { privateDownload, publicDownload } from '../../../downloads/routes.ts'
import { claimRoute } from '../../../library/copy-routes.ts'
import { deleteReviewRoute } from '../../../library/review-routes.ts'
import { type ApiAnswer, type ApiRefusal, callApi, toRefusal } from '../../call.ts'
import { fieldValue, isChecked } from '../../components/form.ts'
import { redirectTo } from '../../flash-message.ts'
import { withNext } from '../../next-path.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member, visitor } from '../../visitor.ts'

const params = Type.Object({ game_id: Type.String() })

type ActionResult = { answer: ApiAnswer; game_id: string; done: Text }

/** Back to the listing with the outcome as a message, since a button has no field to show it at. */
function returnToListing(reply: FastifyReply, { answer, game_id, done }: ActionResult) {
  if (!answer.ok && answer.status === 404) throw toRefusal(answer)
  const message = answer.ok ? done : answer.message
  return redirectTo(reply, `/games/${encodeURIComponent(game_id)}`, message)
}

export const submitClaim = postForm('/games/:game_id/claim', 'Add a free listing to the library', {
  auth: member,
  params,
  async handle({ request, reply, params: { game_id } }) {
    const answer = await callApi(request, claimRoute, { params: { uid: game_id } })
    return returnToListing(reply, { answer, game_id, done: t('added-to-library') })
  },
})

export const submitChannel = postForm('/games/:game_id/channel', 'Join or leave the beta', {
  auth: member,
  params,
  async handle({ request, reply, body, params: { game_id } }) {
    const channel = fieldValue(body, 'channel') === 'beta' ? 'beta' : 'stable'
    const answer = await callApi(request, choosePlayerChannelRoute, {
      params: { uid: game_id },
      body: { channel },
    })
    const done = channel === 'beta' ? t('beta-joined') : t('beta-left')
    return returnToListing(reply, { answer, game_id, done })
  },
})

/** Redirects to the file. The API decides, counts, and adds free games to the library. */
export const downloadFile = getPage('/download/:file_uid', 'Download a file', {
  auth: visitor,
  params: Type.Object({ file_uid: Type.String() }),
  async handle({ request, reply, params, who }) {
    const input = { params, query: { source: 'website' } }
    let answer = await callApi(request, who ? privateDownload : publicDownload, input)
    if (!answer.ok && isUnverified(answer)) {
      // Files that need no account do not need a verified one either. If this one does, the first
      // refusal says what to do.
      const signed_out = await callApi(request, publicDownload, input)
      if (signed_out.ok) answer = signed_out
    }
    if (answer.ok) return reply.header('cache-control', 'no-store').redirect(answer.data.url, 302)
    return refusedDownload(request, reply, answer)
  },
})

const isUnverified = ({ code }: ApiRefusal) => code === errors.EMAIL_NOT_VERIFIED[0]

/** Leads to the page where the visitor can do something about the refusal, if there is one. */
function refusedDownload(request: FastifyRequest, reply: FastifyReply, refusal: ApiRefusal) {
  if (isUnverified(refusal))
    return redirectTo(reply, withNext('/settings/verify', request.url), refusal.message)
  const { game_uid } = refusal.details
  if (refusal.status === 401 || typeof game_uid !== 'string') throw toRefusal(refusal)
  return redirectTo(reply, `/games/${game_uid}`, refusal.message)
}

/** The checkbox replaces a confirmation dialog. */
export const deleteReview = postForm('/games/:game_id/review/delete', 'Delete a review', {
  auth: member,
  params,
  async handle({ request, reply, body, params: { game_id } }) {
    if (!isChecked(body, 'sure')) {
      const form = `/games/${encodeURIComponent(game_id)}/review`
      return redirectTo(reply, form, t('check-to-confirm'))
    }
    const answer = await callApi(request, deleteReviewRoute, { params: { uid: game_id } })
    return returnToListing(reply, { answer, game_id, done: t('review-deleted') })
  },
})
