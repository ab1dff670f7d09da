import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { checkAll, refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { DAY } from '../../core/runtime/units.ts'
import { newToken, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { checkNotBreached } from '../credentials/breached-passwords.ts'
import { guessOf, withGuessingLimits } from '../credentials/guessing-limits.ts'
import { checkPassword } from '../credentials/password-rules.ts'
import { hashPassword, passwordMatches } from '../credentials/passwords.ts'
import { isReserved, lockAddress } from '../credentials/undo-queries.ts'
import { deviceHash, newDevice, signInClient, signInPlace } from '../devices/devices.ts'
import { rememberDevice } from '../devices/queries.ts'
import { acceptInvitation } from '../invitations/invitations.ts'
import { checkEmail } from '../people/email-addresses.ts'
import { findUserByLogin, insertUser, readUser, type User } from '../people/queries.ts'
import { checkNotSuspended } from '../people/suspension.ts'
import { checkUsername } from '../people/usernames.ts'
import { checkAcceptance } from '../policies/acceptance.ts'
import { acceptTerms } from '../policies/acceptance-queries.ts'
import { secondStepsOf } from '../second-factor/queries.ts'
import { findWaitingReset, type WaitingReset } from '../second-factor/reset-queries.ts'
import { applyDueReset } from '../second-factor/resets.ts'
import { type CodeKind, checkSecondStep } from '../second-factor/second-step.ts'
import {
  issueTicket,
  isValidTicket,
  TICKET_SECONDS,
  ticketOwner,
} from '../second-factor/sign-in-tickets.ts'
import {
  type RequestSource,
  recordSecurityEvent,
  type SecurityEvent,
} from '../security-events/record.ts'
import { clearIdentityCache, type Identity } from './identity.ts'
import { deleteSession, insertSession, lockSignedInAccount } from './queries.ts'

/** The refusals of the unique indexes of accounts. */
const takenFields: Record<string, { field: string; refusal: Explanation }> = {
  users_username: {
    field: 'username',
    refusal: explain('username_taken', 'This username is already taken'),
  },
  users_email: {
    field: 'email',
    refusal: explain('email_taken', 'This email is already taken'),
  },
}

/** A session that is used all the time ends after this; see idle.ts for others. */
const SESSION_SECONDS = 90 * DAY

/** `device` is the token of the browser that it was opened on. */
export type Session = { token: string; expires_at: Date; device: string }
export type SignedInUser = {
  user: User
  session: Session
  /** After a second step: a reset of the second factor that the person may want to stop. */
  reset?: WaitingReset | undefined
}

type Registration = {
  username: string
  email: string
  password: string
  /** The terms of the store that the person accepts. */
  store_terms_version?: number
  /** The token of an invitation, which `checkRegistration` has checked. */
  invitation?: string
}

/** An account that passed the checks of a registration. */
type NewAccount = {
  uid: string
  username: string
  email: string
  password_hash: string
  /** The terms of the store that the person accepts; undefined while there are none. */
  terms: number | undefined
}

/** Checks a registration and hashes its password. */
export async function prepareAccount(
  core: Pick<Core, 'settings' | 'config' | 'log'>,
  registration: Registration,
): Promise<NewAccount> {
  const { store_name } = core.settings.current
  const { password, ...account } = checkAll({
    username: () => checkUsername(registration.username),
    email: () => checkEmail(registration.email),
    password: () => checkPassword(registration.password, { ...registration, store_name }),
    terms: () => checkAcceptance(core.settings.policies, registration.store_terms_version),
  })
  await checkNotBreached(core, password)
  return { uid: uuidv7(), ...account, password_hash: await hashPassword(password) }
}

function refuseTaken(index = ''): void {
  const taken = takenFields[index]
  if (taken) refuse('CONFLICT', { field: taken.field }, taken.refusal)
}

/** Stores the account, together with what `also` stores. */
export async function createAccount(
  sql: Sql,
  { terms, ...user }: NewAccount,
  also?: (tx: Tx) => Promise<void>,
): Promise<User> {
  try {
    await sql.begin(async (tx) => {
      await lockAddress(tx, user.email)
      if (await isReserved(tx, user.email)) refuseTaken('users_email')
      await insertUser(tx, user)
      if (terms !== undefined) await acceptTerms(tx, user.uid, terms)
      await also?.(tx)
    })
  } catch (error) {
    refuseTaken((error as { constraint_name?: string }).constraint_name)
    throw error
  }
  return readUser(sql, user.uid)
}

export async function register(
  core: Pick<Core, 'sql' | 'settings' | 'config' | 'log'>,
  { invitation, ...registration }: Registration,
): Promise<User> {
  const account = await prepareAccount(core, registration)
  return createAccount(core.sql, account, async (tx) => {
    if (invitation) await acceptInvitation(tx, invitation, account.uid)
  })
}

export async function logIn(
  source: RequestSource,
  { login, password }: { login: string; password: string },
): Promise<SignedInUser> {
  const { core } = source
  const user = await findUserByLogin(core.sql, login)
  const guess = await guessOf(source, user ? { user_uid: user.user_uid } : { login })
  await withGuessingLimits(core, { secret: 'login', ...guess }, async () => {
    if (await passwordMatches(user?.password_hash, password)) return
    const user_uid = user?.user_uid ?? null
    await recordSecurityEvent(core.sql, source, { kind: 'sign_in_failed', user_uid })
    refuse('INVALID_CREDENTIALS')
  })
  checkNotSuspended(user!)
  await applyDueReset(core, user!.user_uid)
  await requireSecondStep(core, user!)
  return { user: user!, session: await openSession(source, user!, { method: 'password' }) }
}

/** The answer of the first step where the account has a second factor. */
async function requireSecondStep(core: Core, user: User): Promise<void> {
  const methods = await secondStepsOf(core.sql, user.user_uid)
  if (!methods.length) return
  const ticket = issueTicket(core, user)
  refuse('SECOND_STEP_REQUIRED', { ticket, expires_in: TICKET_SECONDS, methods })
}

const refuseTicket = (): never =>
  refuse(
    'SECOND_STEP_FAILED',
    { ticket_expired: true },
    explain('sign_in_expired', 'This sign-in took too long; start again with your password'),
  )

/** Finishes a sign-in with the ticket of its first step. */
export async function finishLogIn(
  source: RequestSource,
  { ticket, code }: { ticket: string; code: string },
): Promise<SignedInUser> {
  const { core } = source
  const user_uid = ticketOwner(ticket) ?? refuseTicket()
  const user = await readUser(core.sql, user_uid)
  if (!user || !isValidTicket(core, user, ticket, new Date())) return refuseTicket()
  checkNotSuspended(user)
  if (await applyDueReset(core, user_uid)) return refuseTicket()
  const second_step = await checkSecondStep(source, user_uid, code)
  const session = await openSession(source, user, { method: 'password', second_step })
  return { user, session, reset: await findWaitingReset(core.sql, user_uid) }
}

/**
 * Changes the credentials of an account only while the session still exists. It may have ended
 * since the request was authenticated: by a password reset, perhaps against this very caller.
 */
export const whileSignedIn = <T>(
  sql: Sql,
  { user_uid, credential_uid }: Identity,
  create: (tx: Tx) => Promise<T>,
): Promise<T> =>
  transact(sql, async (tx) => {
    if (!(await lockSignedInAccount(tx, user_uid, credential_uid))) refuse('UNAUTHENTICATED')
    return create(tx)
  })

/** How a person signs in. */
type SignInProof = {
  method: 'password' | 'passkey' | 'registration'
  second_step?: CodeKind
}

const eventsOf = ({ method, second_step }: SignInProof): SecurityEvent[] => [
  ...(second_step ? [{ kind: 'second_step_used' as const, detail: { method: second_step } }] : []),
  ...(method === 'registration' ? [{ kind: 'account_created' as const }] : []),
  { kind: 'sign_in', detail: { method } },
]

export async function openSession(
  source: RequestSource,
  { user_uid, password_hash }: User,
  proof: SignInProof,
): Promise<Session> {
  const token = newToken('svc_sess_')
  const client = signInClient(source.request)
  const device = client.device ?? newDevice()
  const device_hash = deviceHash(user_uid, device)
  const expires_at = new Date(Date.now() + SESSION_SECONDS * 1000)
  const place = await signInPlace(source.core, client)
  const session = { uid: uuidv7(), user_uid, token_hash: sha256(token), expires_at, device_hash }
  await transact(source.core.sql, async (tx) => {
    if (!(await insertSession(tx, { ...session, place }, password_hash)))
      refuse('INVALID_CREDENTIALS')
    for (const event of eventsOf(proof))
      await recordSecurityEvent(tx, source, { ...event, actor_uid: user_uid })
    if (await rememberDevice(tx, user_uid, device_hash)) {
      const sign_in = { user_uid, id: session.uid, at: new Date().toISOString(), ...place }
      await source.core.jobs.send(tx, 'accounts.mail-new-device', sign_in)
    }
  })
  return { token, expires_at, device }
}

export async function endSession(sql: Sql, session_uid: string): Promise<void> {
  await deleteSession(sql, session_uid)
  clearIdentityCache()
}
