import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type ApiAnswer, call, toRefusal } from '../../call.ts'
import { fieldValue, isChecked } from '../../components/form.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member, visitor } from '../../visitor.ts'

const params = Type.Object({ game_id: Type.String() })
const private_game = (game_id: string) => `/api/v1/private/games/${encodeURIComponent(game_id)}`

/** Back to the page, with what was done or why not: a button has no field to say it at. */
const back = (reply: FastifyReply, game_id: string, answer: ApiAnswer, done: string) => {
  if (!answer.ok && answer.status === 404) throw toRefusal(answer)
  return redirectTo(
    reply,
    `/games/${encodeURIComponent(game_id)}`,
    answer.ok ? done : answer.message,
  )
}

export const sendClaim = postForm('/games/:game_id/claim', 'Take a free listing into the library', {
  auth: member,
  params,
  handle: async ({ request, reply, params: { game_id } }) =>
    back(
      reply,
      game_id,
      await call(request, 'POST', `${private_game(game_id)}/library`, {}),
      'It is in your library',
    ),
})

export const sendChannel = postForm('/games/:game_id/channel', 'Join or leave the beta', {
  auth: member,
  params,
  async handle({ request, reply, body, params: { game_id } }) {
    const channel = fieldValue(body, 'channel') === 'beta' ? 'beta' : 'stable'
    const answer = await call(request, 'PUT', `${private_game(game_id)}/channel`, { channel })
    return back(
      reply,
      game_id,
      answer,
      channel === 'beta' ? 'You are on the beta' : 'You left the beta',
    )
  },
})

/** Straight to the file; the API decides, counts and gives a copy of what is free to whoever has an account to keep it in. */
export const sendFile = getPage('/download/:file_uid', 'Download a file', {
  auth: visitor,
  params: Type.Object({ file_uid: Type.String() }),
  async handle({ request, reply, params, who }) {
    const link = (side: 'public' | 'private') =>
      call(
        request,
        'GET',
        `/api/v1/${side}/downloads/${encodeURIComponent(params.file_uid)}?source=website`,
      )
    let answer = await link(who ? 'private' : 'public')
    // What anyone may have without an account, someone with half a one may have too.
    if (!answer.ok && answer.code === UNVERIFIED) answer = await orElse(answer, link('public'))
    if (answer.ok) return reply.header('cache-control', 'no-store').redirect(answer.data.url, 302)
    return refusedFile(request, reply, answer)
  },
})

const UNVERIFIED = 4096

/** The second answer where it is a good one; of two refusals the first, which says what to do. */
async function orElse(first: ApiAnswer, second: Promise<ApiAnswer>): Promise<ApiAnswer> {
  const answer = await second
  return answer.ok ? answer : first
}

/** Where someone can do something about it, they are brought there. */
function refusedFile(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ApiAnswer & { ok: false },
) {
  if (answer.code === UNVERIFIED)
    return redirectTo(
      reply,
      `/settings/verify?next=${encodeURIComponent(request.url)}`,
      answer.message,
    )
  if (answer.status === 401) throw toRefusal(answer)
  const game_uid = answer.details.game_uid
  if (typeof game_uid === 'string') return redirectTo(reply, `/games/${game_uid}`, answer.message)
  throw toRefusal(answer)
}

/** A form with one word in it, for those who cannot press a button twice. */
export const sendReviewAway = postForm('/games/:game_id/review/delete', 'Take a review back', {
  auth: member,
  params,
  async handle({ request, reply, body, params: { game_id } }) {
    if (!isChecked(body, 'sure'))
      return redirectTo(
        reply,
        `/games/${encodeURIComponent(game_id)}/review`,
        'Say that you are sure first',
      )
    return back(
      reply,
      game_id,
      await call(request, 'DELETE', `${private_game(game_id)}/review`),
      'Your review is gone',
    )
  },
})
