import { transact } from '../../core/database/transaction.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { ownGuess, withGuessingLimits } from '../credentials/guessing-limits.ts'
import { passwordMatches } from '../credentials/passwords.ts'
import { readUser } from '../people/queries.ts'
import { checkSecondStep } from '../second-factor/second-step.ts'
import { type RequestSource, recordSecurityEvent } from '../security-events/record.ts'
import type { Identity } from './identity.ts'
import { saveProof } from './queries.ts'
import { PROOF_SECONDS } from './step-up.ts'

/** The input of a handler of the scheme `website`. */
type SessionSource = RequestSource & { who: Identity }
type PasswordProof = { password: string; field: string }

/** Counts wrong passwords with those of signing in. Returns the hash that the password matches. */
export async function checkOwnPassword(
  source: SessionSource,
  { password, field }: PasswordProof,
): Promise<string> {
  const { core, request, who } = source
  const { user_uid } = who
  const { password_hash } = await readUser(core.sql, user_uid)
  await withGuessingLimits(core, ownGuess('login', who, request.ip_address), async () => {
    if (await passwordMatches(password_hash, password)) return
    await recordSecurityEvent(core.sql, source, { kind: 'step_up_failed' })
    refuse('INVALID_CREDENTIALS', { field }, explain('password_wrong', 'The password is wrong'))
  })
  return password_hash
}

/** Returns until when the proof counts. */
export async function proveByPassword(source: SessionSource, password: string): Promise<Date> {
  const password_hash = await checkOwnPassword(source, { password, field: 'password' })
  return recordProof(source, password_hash, 'password')
}

/** As proveByPassword, with a code of the second factor. */
export async function proveByCode(source: SessionSource, code: string): Promise<Date> {
  const { core, who } = source
  const { password_hash } = await readUser(core.sql, who.user_uid)
  const method = await checkSecondStep(source, who.user_uid, code)
  return recordProof(source, password_hash, method)
}

export async function recordProof(
  source: SessionSource,
  password_hash: string,
  method: string,
): Promise<Date> {
  const { core, who } = source
  const proved_at = await transact(core.sql, async (tx) => {
    const proof = await saveProof(tx, who.credential_uid, password_hash)
    if (proof) await recordSecurityEvent(tx, source, { kind: 'step_up', detail: { method } })
    return proof
  })
  if (!proved_at) refuse('UNAUTHENTICATED')
  return new Date(proved_at.getTime() + PROOF_SECONDS * 1000)
}
