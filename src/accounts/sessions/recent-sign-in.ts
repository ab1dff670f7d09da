import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { passwordMatches } from '../credentials/passwords.ts'
import { readUser } from '../people/queries.ts'
import { checkSecondStep } from '../second-factor/second-step.ts'
import type { Identity } from './identity.ts'
import { saveProof } from './queries.ts'
import { withLoginLimits } from './sessions.ts'
import { PROOF_SECONDS } from './step-up.ts'

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
  return recordProof(core, who, password_hash)
}

/** As proveByPassword, with a code of the second factor. */
export async function proveByCode(
  core: Core,
  who: Identity,
  code: string,
  ip: string,
): Promise<Date> {
  const { password_hash } = await readUser(core.sql, who.user_uid)
  await checkSecondStep(core, who.user_uid, { code, ip })
  return recordProof(core, who, password_hash)
}

export async function recordProof(
  { sql }: Core,
  who: Identity,
  password_hash: string,
): Promise<Date> {
  const proved_at = await saveProof(sql, who.credential_uid, password_hash)
  if (!proved_at) refuse('UNAUTHENTICATED')
  return new Date(proved_at.getTime() + PROOF_SECONDS * 1000)
}
