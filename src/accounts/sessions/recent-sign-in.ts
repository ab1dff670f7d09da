import type { Sql } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { passwordMatches } from '../credentials/passwords.ts'
import { readUser } from '../people/queries.ts'
import type { Identity } from './identity.ts'
import { readProofTime, saveProof } from './queries.ts'
import { withLoginLimits } from './sessions.ts'

/** How long a proof that the person at the session is its owner counts. */
export const PROOF_SECONDS = 10 * MINUTE

/** The rule: signing in is a proof, and so is typing the password again. */
export const isRecent = (proved_at: Date, now: Date): boolean =>
  now.getTime() - proved_at.getTime() < PROOF_SECONDS * 1000

/** Whether the person proved recently that the session is theirs. Keys and tokens never do. */
export async function hasRecentSignIn(sql: Sql, who: Identity, now: Date): Promise<boolean> {
  const proved_at =
    who.kind === 'session' ? await readProofTime(sql, who.credential_uid) : undefined
  return proved_at !== undefined && isRecent(proved_at, now)
}

type PasswordProof = { password: string; ip: string; field: string }

/** Counts wrong passwords with those of signing in. Returns the hash that the password matches. */
export async function checkOwnPassword(
  core: Core,
  { user_uid }: Identity,
  { password, ip, field }: PasswordProof,
): Promise<string> {
  const { password_hash } = await readUser(core.sql, user_uid)
  await withLoginLimits(core, { account: user_uid, ip }, async () => {
    if (!(await passwordMatches(password_hash, password)))
      refuse('INVALID_CREDENTIALS', { field }, explain('password_wrong', 'The password is wrong'))
  })
  return password_hash
}

/** Returns until when the proof counts. */
export async function proveByPassword(
  core: Core,
  who: Identity,
  password: string,
  ip: string,
): Promise<Date> {
  const password_hash = await checkOwnPassword(core, who, { password, ip, field: 'password' })
  const proved_at = await saveProof(core.sql, who.credential_uid, password_hash)
  if (!proved_at) refuse('UNAUTHENTICATED')
  return new Date(proved_at.getTime() + PROOF_SECONDS * 1000)
}
