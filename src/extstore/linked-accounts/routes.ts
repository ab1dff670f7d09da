import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { linkExtstore, unlinkExtstore } from '../../accounts/people/queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import { whileSignedIn } from '../../accounts/sessions/sessions.ts'
import { transact } from '../../core/database/transaction.ts'
import { noticeCookie } from '../../core/http/notice-cookie.ts'
import { route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { HOUR, perAccount } from '../../core/security/limits.ts'
import { openidUrl } from '../client/steam.ts'
import { confirmAssertion } from '../client/store.ts'
import { forgetUser } from '../sign-in/queries.ts'
import { NONCE_MINUTES, readAssertion, requestUrl } from './openid.ts'
import { endLink, startLink, takeNonce } from './queries.ts'

const url = '/api/v1/private/account/extstore'
const LINK_MINUTES = 20
const limits = [perAccount(30, { seconds: HOUR, bucket: 'extstore link' })]
const returnTo = ({ addresses }: Core, state: string) =>
  `${addresses.base_url}${url}/callback?state=${state}`
const minutesFrom = (now: number, minutes: number) => new Date(now + minutes * 60_000)

export const startLinkRoute = route({
  method: 'GET',
  url: `${url}/link`,
  summary:
    'Go to the external store to prove which account there is yours; the answer is also a redirect',
  browser_errors: true,
  auth: website,
  limits,
  data: Type.Object({ url: Type.String() }),
  async handle({ core, sql, who, reply }) {
    const state = uuidv7()
    await startLink(sql, state, who.credential_uid, minutesFrom(Date.now(), LINK_MINUTES))
    const to = requestUrl(openidUrl(core.config), returnTo(core, state))
    reply.code(302).header('location', to)
    return { url: to }
  },
})

export const finishLinkRoute = route({
  method: 'GET',
  url: `${url}/callback`,
  summary: 'Where the external store sends the browser back to',
  browser_errors: true,
  auth: website,
  limits,
  query: Type.Object({ state: Type.String() }, { additionalProperties: true }),
  data: Type.Object({ extstore_id: Type.String() }),
  errors: ['ACCOUNT_LINK_REFUSED', 'EXTSTORE_UNAVAILABLE', 'CONFLICT'],
  async handle({ core, who, query, request, reply }) {
    // Someone who came here by the website goes on there, refused or not; a program has its answer.
    const is_person = request.headers.accept?.includes('text/html')
    try {
      const extstore_id = await proven(core, who.credential_uid, query)
      await link(core, who, extstore_id)
      return is_person ? backToSettings(core, reply, 'Linked') : { extstore_id }
    } catch (error) {
      if (is_person && error instanceof Refusal) return backToSettings(core, reply, error.message)
      throw error
    }
  },
})

const backToSettings = ({ addresses }: Core, reply: FastifyReply, message: string) =>
  reply
    .header('set-cookie', noticeCookie(message))
    .redirect(`${addresses.web_url}/settings#linked`, 303) as never

/** The store was asked meanwhile, which takes its time. */
const link = (core: Core, who: Identity, extstore_id: string) =>
  whileSignedIn(core.sql, who, async (tx) => {
    const { user_uid } = who
    if (!(await linkExtstore(tx, user_uid, extstore_id)))
      refuse(
        'CONFLICT',
        undefined,
        'This account is linked to somebody else, or you have linked another: unlink that one first',
      )
    await recordAudit(tx, {
      user_uid,
      game_uid: null,
      action: 'extstore.link-account',
      detail: { extstore_id },
    })
  })

/** The way back is walked once, by the session that began it; then the provider is asked, and then the nonce is used up. */
async function proven(
  core: Core,
  session_uid: string,
  query: { state: string; [field: string]: unknown },
): Promise<string> {
  const now = Date.now()
  if (!isUuid(query.state) || !(await endLink(core.sql, query.state, session_uid, new Date(now))))
    refuse('ACCOUNT_LINK_REFUSED')
  const assertion =
    readAssertion(openidUrl(core.config), returnTo(core, query.state), query, now) ??
    refuse('ACCOUNT_LINK_REFUSED')
  if (!(await takeNonce(core.sql, assertion.nonce, minutesFrom(now, 2 * NONCE_MINUTES))))
    refuse('ACCOUNT_LINK_REFUSED')
  if (!(await confirmAssertion(core, assertion.form))) refuse('ACCOUNT_LINK_REFUSED')
  return assertion.extstore_id
}

export const unlinkAccountRoute = route({
  method: 'DELETE',
  url,
  summary: 'Unlink your account of the external store',
  auth: website,
  limits,
  data: Type.Object({}),
  async handle({ core, who }) {
    await transact(core.sql, async (tx) => {
      const extstore_id = await unlinkExtstore(tx, who.user_uid)
      if (!extstore_id) return
      await forgetUser(tx, who.user_uid)
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: null,
        action: 'extstore.unlink-account',
        detail: { extstore_id },
      })
    })
    return {}
  },
})
