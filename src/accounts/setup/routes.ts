import { Type } from 'typebox'
import type { Tx } from '../../core/database/sql.ts'
import { Body, Nullable, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perIp } from '../../core/security/limits.ts'
import { MAX_EMAIL } from '../people/usernames.ts'
import { type RequestSource, recordSecurityEvent } from '../security-events/record.ts'
import { signInCookies } from '../sessions/cookies.ts'
import { clearIdentityCache, type Identity } from '../sessions/identity.ts'
import { optionalToken } from '../sessions/schemes.ts'
import { createAccount, openSession, prepareAccount, whileSignedIn } from '../sessions/sessions.ts'
import { claimSetup } from './queries.ts'
import { checkSetupToken } from './setup-links.ts'

async function claim(
  tx: Tx,
  source: RequestSource,
  link_uid: string,
  user_uid: string,
): Promise<void> {
  if (!(await claimSetup(tx, link_uid, user_uid))) refuse('SETUP_LINK_INVALID')
  await recordSecurityEvent(tx, source, { kind: 'operator_added', actor_uid: user_uid })
}

const claimForAccount = (source: RequestSource, link_uid: string, who: Identity) =>
  whileSignedIn(source.core.sql, who, (tx) => claim(tx, source, link_uid, who.user_uid))

export const setupRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/setup',
  summary: 'Become the first operator of this store with a set-up link',
  description:
    'With a session its account becomes the operator. Otherwise a new account does, and signs in. ' +
    'Account, role and the end of the link are stored together.',
  auth: optionalToken,
  limits: [perIp(30, { seconds: HOUR })],
  body: Body({
    token: Type.String({ maxLength: 100, description: 'The part of the link after #' }),
    username: Type.Optional(Type.String({ maxLength: 64 })),
    email: Type.Optional(Type.String({ maxLength: MAX_EMAIL })),
    password: Type.Optional(Type.String({ maxLength: 512 })),
    store_terms_version: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  data: Type.Object({
    username: Type.String(),
    session: Nullable(Type.Object({ token: Type.String(), expires_at: Timestamp })),
  }),
  errors: ['SETUP_LINK_INVALID', 'CONFLICT', 'STORE_TERMS_NOT_ACCEPTED', 'INVALID_CREDENTIALS'],
  async handle({ core, sql, request, who, body: { token, ...fields }, reply }) {
    const source = { core, request }
    const link_uid = await checkSetupToken(core, token.trim())
    if (who?.kind === 'session') {
      await claimForAccount(source, link_uid, who)
      clearIdentityCache()
      return { username: who.username, session: null }
    }
    const { username = '', email = '', password = '', ...terms } = fields
    const account = await prepareAccount(core, { username, email, password, ...terms })
    const user = await createAccount(sql, account, (tx) => claim(tx, source, link_uid, account.uid))
    const session = await openSession(source, user, { method: 'registration' })
    reply.header('set-cookie', signInCookies(core, session))
    return {
      username: user.username,
      session: { token: session.token, expires_at: session.expires_at.toISOString() },
    }
  },
})
