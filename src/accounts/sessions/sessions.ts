import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { limitKey } from '../../core/security/client-address.ts'
import { newToken, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { MINUTE } from '../../core/security/limits.ts'
import { hashPassword, passwordMatches } from '../credentials/passwords.ts'
import {
  checkEmail,
  checkPassword,
  checkUsername,
  SESSION_SECONDS,
} from '../people/account-rules.ts'
import {
  deleteSession,
  findUserByLogin,
  holdAccount,
  insertSession,
  insertUser,
  readUser,
  type User,
} from '../people/queries.ts'
import { forgetIdentities, type Identity } from './identity.ts'
import { SESSION_COOKIE } from './schemes.ts'

export type Session = { token: string; expires_at: Date }
export type CheckedLogin = { user: User; session: Session }

const byAccount = { points: 10, seconds: 15 * MINUTE }
const byAddress = { points: 60, seconds: 15 * MINUTE }

export async function register(
  sql: Sql,
  asked: { username: string; email: string; password: string },
): Promise<User> {
  const username = checkUsername(asked.username)
  const email = checkEmail(asked.email)
  const password_hash = await hashPassword(checkPassword(asked.password, { username, email }))
  const uid = uuidv7()
  try {
    await insertUser(sql, { uid, username, email, password_hash })
  } catch (error) {
    const taken = { users_username: 'username', users_email: 'email' }[
      (error as { constraint_name?: string }).constraint_name ?? ''
    ]
    if (taken) refuse('CONFLICT', { field: taken }, `This ${taken} is already taken`)
    throw error
  }
  return readUser(sql, uid)
}

/** Tries are counted before the password is looked at and given back on success, so that parallel guesses cannot slip past. */
export async function logIn(
  core: Core,
  { login, password }: { login: string; password: string },
  ip: string,
): Promise<CheckedLogin> {
  const user = await findUserByLogin(core.sql, login)
  const account = user?.user_uid ?? sha256(login.toLowerCase()).toString('hex')
  await core.limiter.take('login address', limitKey(ip), byAddress)
  await core.limiter.take('login account', account, byAccount)
  if (!(await passwordMatches(user?.password_hash, password))) refuse('INVALID_CREDENTIALS')
  await Promise.all([
    core.limiter.give('login address', limitKey(ip)),
    core.limiter.give('login account', account),
  ])
  return { user: user!, session: await openSession(core.sql, user!) }
}

/**
 * A way in that outlives the session is made only while that session stands. What was identified a moment ago may have lost it since: by a new password
 * set in that moment, perhaps against the very person who asks.
 */
export const whileSignedIn = <T>(
  sql: Sql,
  { user_uid, credential_uid }: Identity,
  make: (tx: Tx) => Promise<T>,
): Promise<T> =>
  transact(sql, async (tx) => {
    if (!(await holdAccount(tx, user_uid, credential_uid))) refuse('UNAUTHENTICATED')
    return make(tx)
  })

export async function openSession(sql: Sql, { user_uid, password_hash }: User): Promise<Session> {
  const token = newToken('svc_sess_')
  const expires_at = new Date(Date.now() + SESSION_SECONDS * 1000)
  const session = { uid: uuidv7(), user_uid, token_hash: sha256(token), expires_at }
  if (!(await insertSession(sql, session, password_hash))) refuse('INVALID_CREDENTIALS')
  return { token, expires_at }
}

export async function endSession(sql: Sql, session_uid: string): Promise<void> {
  await deleteSession(sql, session_uid)
  forgetIdentities()
}

export function sessionCookie({ addresses }: Core, session: Session | undefined): string {
  const secure = addresses.web_url.startsWith('https:') ? '; Secure' : ''
  const value = session
    ? `${session.token}; Expires=${session.expires_at.toUTCString()}`
    : '; Max-Age=0'
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
