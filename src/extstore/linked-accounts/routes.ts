import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { linkExtstore, unlinkExtstore } from '../../accounts/people/queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import { whileSignedIn } from '../../accounts/sessions/sessions.ts'
import { transact } from '../../core/database/transaction.ts'
import { setNotice } from '../../core/http/cookies.ts'
import { route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { HOUR, MINUTE_MS } from '../../core/runtime/units.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { openidUrl } from '../client/steam.ts'
import { confirmAssertion } from '../client/store.ts'
import { forgetUser } from '../sign-in/queries.ts'
import { NONCE_MINUTES, readAssertion, requestUrl } from './openid.ts'
import { insertLinkState, useLinkState, useNonce } from './queries.ts'

const url = '/api/v1/private/account/extstore'
const LINK_MINUTES = 20
const limits = [perAccount(30, { seconds: HOUR, bucket: 'extstore link' })]
const returnTo = ({ addresses }: Core, state: string) =>
  `${addresses.base_url}${url}/callback?state=${state}`
const minutesFrom = (now: number, minutes: number) => new Date(now + minutes * MINUTE_MS)

export const startLinkRoute = route({
  method: 'GET',
  url: `${url}/link`,
  summary: 'Start linking your account of the external store',
  description: 'Redirects to the sign-in page of the external store.',
  browser_errors: true,
  auth: website,
  limits,
  redirect: 302,
  data: Type.Object({ url: Type.String() }),
  async handle({ core, sql, who, reply }) {
    const state = uuidv7()
    const expires_at = minutesFrom(Date.now(), LINK_MINUTES)
    await insertLinkState(sql, { state, session_uid: who.credential_uid }, expires_at)
    const location = requestUrl(openidUrl(core.config), returnTo(core, state))
    reply.code(302).header('location', location)
    return { url: location }
  },
})

const finishLinkRoute = route({
  method: 'GET',
  url: `${url}/callback`,
  summary: 'Finish linking your account of the external store',
  description: 'The external store redirects the browser to this URL.',
  browser_errors: true,
  auth: website,
  limits,
  query: Type.Object({ state: Type.String() }, { additionalProperties: true }),
  data: Type.Object({ extstore_id: Type.String() }),
  described: { answers: { 303: { description: 'A browser is redirected to its settings' } } },
  errors: ['ACCOUNT_LINK_REFUSED', 'EXTSTORE_UNAVAILABLE', 'CONFLICT'],
  async handle({ core, who, query, request, reply }) {
    // A browser is redirected to the settings page in any case; a program gets JSON.
    const is_browser = request.headers.accept?.includes('text/html')
    try {
      const extstore_id = await confirmAccount(core, who.credential_uid, query)
      await link(core, who, extstore_id)
      return is_browser ? backToSettings(core, reply, LINKED) : { extstore_id }
    } catch (error) {
      if (is_browser && error instanceof Refusal) return backToSettings(core, reply, error)
      throw error
    }
  },
})

const LINKED = explain('account_linked', 'Account linked')

const backToSettings = ({ addresses }: Core, reply: FastifyReply, message: Explanation) =>
  setNotice(reply, message).redirect(`${addresses.web_url}/settings#linked`, 303) as never

/** Checks the session again, which may have ended during the request to the provider. */
const link = (core: Core, who: Identity, extstore_id: string) =>
  whileSignedIn(core.sql, who, async (tx) => {
    const { user_uid } = who
    if (!(await linkExtstore(tx, user_uid, extstore_id)))
      refuse(
        'CONFLICT',
        undefined,
        explain(
          'linked_elsewhere',
          'This account is linked to another user, or you have already linked a different one. ' +
            'Unlink that one first.',
        ),
      )
    await recordAudit(tx, {
      user_uid,
      game_uid: null,
      action: 'extstore.link-account',
      detail: { extstore_id },
    })
  })

/** The state works once and only for the session that started the link; so does the nonce. */
async function confirmAccount(
  core: Core,
  session_uid: string,
  query: { state: string; [field: string]: unknown },
): Promise<string> {
  const now = Date.now()
  const { state } = query
  if (!isUuid(state) || !(await useLinkState(core.sql, { state, session_uid }, new Date(now))))
    refuse('ACCOUNT_LINK_REFUSED')
  const provider = openidUrl(core.config)
  const return_to = returnTo(core, state)
  const assertion =
    readAssertion({ provider, return_to, query, now }) ?? refuse('ACCOUNT_LINK_REFUSED')
  if (!(await useNonce(core.sql, assertion.nonce, minutesFrom(now, 2 * NONCE_MINUTES))))
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

export const linkedAccountRoutes = [startLinkRoute, finishLinkRoute, unlinkAccountRoute]
