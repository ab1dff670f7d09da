import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { limitKey } from '../../core/security/client-address.ts'
import type { Sealed } from '../../core/security/secrets.ts'
import { type RequestSource, recordSecurityEvent } from '../security-events/record.ts'
import { readTotpSecret, takeRecoveryCode, takeTotpStep } from './queries.ts'
import { isRecoveryCode, recoveryCodeHash, typedCode } from './recovery-codes.ts'
import { TOTP_DIGITS, totpStep } from './totp.ts'

const accountLimit = { points: 10, seconds: 15 * MINUTE }
const addressLimit = { points: 60, seconds: 15 * MINUTE }

export const TOTP_FIELD = 'totp'

export const refuseSecondStep = (): never =>
  refuse(
    'SECOND_STEP_FAILED',
    { field: 'code' },
    explain('second_step_wrong', 'This code is wrong or was used; wait for the next one'),
  )

/** An attempt is counted before it is checked and given back on success; see withLoginLimits. */
export async function withSecondStepLimits<T>(
  { limiter }: Core,
  { account, ip }: { account: string; ip: string },
  check: () => Promise<T>,
): Promise<T> {
  await limiter.take('second step address', limitKey(ip), addressLimit)
  await limiter.take('second step account', account, accountLimit)
  const result = await check()
  await Promise.all([
    limiter.give('second step address', limitKey(ip)),
    limiter.give('second step account', account),
  ])
  return result
}

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
  const sealed = await readTotpSecret(core.sql, user_uid, 'confirmed')
  const step = sealed && stepOfCode(core, user_uid, sealed, code)
  const is_taken = step !== undefined && (await takeTotpStep(core.sql, user_uid, step))
  return is_taken ? 'code' : undefined
}

/** Accepts a code of the authenticator app or a recovery code, each of them once. */
export const checkSecondStep = (
  source: RequestSource,
  user_uid: string,
  code: string,
): Promise<CodeKind> =>
  withSecondStepLimits(
    source.core,
    { account: user_uid, ip: source.request.ip_address },
    async () => {
      const kind = await takeCode(source.core, user_uid, code)
      if (kind) return kind
      await recordSecurityEvent(source.core.sql, source, { kind: 'second_step_failed', user_uid })
      return refuseSecondStep()
    },
  )
