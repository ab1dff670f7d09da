import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import type { Sealed } from '../../core/security/secrets.ts'
import { guessOf, withGuessingLimits } from '../credentials/guessing-limits.ts'
import { type RequestSource, recordSecurityEvent } from '../security-events/record.ts'
import { readTotpSecret, takeRecoveryCode, takeTotpStep } from './queries.ts'
import { isRecoveryCode, recoveryCodeHash, typedCode } from './recovery-codes.ts'
import { TOTP_DIGITS, totpStep } from './totp.ts'

export const TOTP_FIELD = 'totp'

export const refuseSecondStep = (): never =>
  refuse(
    'SECOND_STEP_FAILED',
    { field: 'code' },
    explain('second_step_wrong', 'This code is wrong or was used; wait for the next one'),
  )

const isTotpCode = (code: string) => new RegExp(`^\\d{${TOTP_DIGITS}}$`).test(code)

export const openTotpSecret = ({ secrets }: Core, user_uid: string, sealed: Sealed): string =>
  secrets.open(user_uid, TOTP_FIELD, sealed)

/** The time step of a code of this sealed secret; undefined if the code is wrong. */
export const stepOfCode = (core: Core, user_uid: string, sealed: Sealed, typed: string) => {
  const code = typedCode(typed)
  return isTotpCode(code)
    ? totpStep(openTotpSecret(core, user_uid, sealed), code, new Date())
    : undefined
}

export type CodeKind = 'code' | 'recovery_code'

/** The kind of a valid code, which is used up with this; undefined if it is not valid. */
async function takeCode(
  core: Core,
  user_uid: string,
  typed: string,
): Promise<CodeKind | undefined> {
  const code = typedCode(typed)
  if (isRecoveryCode(code)) {
    const hash = recoveryCodeHash(user_uid, code)
    return (await takeRecoveryCode(core.sql, user_uid, hash)) ? 'recovery_code' : undefined
  }
  const sealed = await readTotpSecret(core.sql, user_uid)
  const step = sealed && stepOfCode(core, user_uid, sealed, code)
  const is_taken = step !== undefined && (await takeTotpStep(core.sql, user_uid, step))
  return is_taken ? 'code' : undefined
}

/** Accepts a code of the authenticator app or a recovery code, each of them once. */
export async function checkSecondStep(
  source: RequestSource,
  user_uid: string,
  code: string,
): Promise<CodeKind> {
  const { core } = source
  const guess = await guessOf(source, { user_uid })
  return withGuessingLimits(core, { secret: 'second step', ...guess }, async () => {
    const kind = await takeCode(core, user_uid, code)
    if (kind) return kind
    await recordSecurityEvent(core.sql, source, { kind: 'second_step_failed', user_uid })
    return refuseSecondStep()
  })
}
