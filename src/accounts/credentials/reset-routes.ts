import { Type } from 'typebox'
import { transact } from '../../core/database/transaction.ts'
import { anyone, Body, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import { findUserByLogin, type User } from '../people/queries.ts'
import { MAX_EMAIL } from '../people/usernames.ts'
import { type RequestSource, recordSecurityEvent } from '../security-events/record.ts'
import { clearIdentityCache } from '../sessions/identity.ts'
import { checkNotBreached } from './breached-passwords.ts'
import { guessOf, takeAttempt } from './guessing-limits.ts'
import { readLinkToken } from './link-tokens.ts'
import { checkPassword } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { findReset, takeReset } from './reset-queries.ts'
import { RESET_SECONDS } from './reset-tokens.ts'

/**
 * A known device has its own count, so that nobody else can lock it out. All others are counted by
 * what they typed: a count by account would show which name belongs to which address.
 */
async function resetGuess(source: RequestSource, login: string, user: User | undefined) {
  const guess = user && (await guessOf(source, { user_uid: user.user_uid }))
  return guess?.known_device ? guess : guessOf(source, { login })
}

/** The answer and the work are the same whether the account exists or not. */
export const forgotPassword = route({
  method: 'POST',
  url: '/api/v1/private/account/forgot-password',
  summary: 'Request a password reset link by mail',
  description:
    'The answer is the same whether the account exists or not. ' +
    'At most one mail is sent to an account within five minutes.',
  auth: anyone,
  limits: [perIp(20, { seconds: HOUR })],
  body: Body({ login: Type.String({ minLength: 1, maxLength: MAX_EMAIL }) }),
  status: 202,
  data: Type.Object({ expires_in: Type.Integer() }),
  async handle({ core, sql, request, body }) {
    const login = body.login.trim()
    const user = await findUserByLogin(sql, login)
    const user_uid = user?.user_uid ?? null
    await takeAttempt(core, {
      secret: 'reset',
      ...(await resetGuess({ core, request }, login, user)),
    })
    await transact(sql, async (tx) => {
      const event = { kind: 'password_reset_requested', user_uid } as const
      await recordSecurityEvent(tx, { core, request }, event)
      await core.jobs.send(tx, 'accounts.mail-reset', { user_uid, nonce: uuidv7() })
    })
    return { expires_in: RESET_SECONDS }
  },
})

export const resetPassword = route({
  method: 'POST',
  url: '/api/v1/private/account/reset-password',
  summary: 'Set a new password with the token of a mailed link; ends all sessions',
  auth: anyone,
  limits: [perIp(60, { seconds: HOUR })],
  body: Body({ token: Type.String({ maxLength: 256 }), password: Type.String({ maxLength: 512 }) }),
  data: Type.Object({ username: Type.String() }),
  errors: ['RESET_LINK_EXPIRED'],
  async handle({ core, sql, request, body }) {
    const nonce = readLinkToken(core, 'password reset', body.token) ?? refuse('RESET_LINK_EXPIRED')
    const { user_uid, username, email } =
      (await findReset(sql, nonce)) ?? refuse('RESET_LINK_EXPIRED')
    const { store_name } = core.settings.current
    const password = checkPassword(body.password, { username, email, store_name })
    await checkNotBreached(core, password)
    const password_hash = await hashPassword(password)
    await sql.begin(async (tx) => {
      const { unproven } =
        (await takeReset(tx, nonce, password_hash)) ?? refuse('RESET_LINK_EXPIRED')
      await core.jobs.send(tx, 'accounts.mail-password-changed', {
        user_uid,
        id: uuidv7(),
        unproven,
      })
      const event = { kind: 'password_reset', actor_uid: user_uid } as const
      await recordSecurityEvent(tx, { core, request }, event)
    })
    clearIdentityCache()
    return { username }
  },
})

export const passwordResetRoutes = [forgotPassword, resetPassword]
