import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { limitKey } from '../../core/security/client-address.ts'
import type { Sealed } from '../../core/security/secrets.ts'
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

async function takeCode(core: Core, user_uid: string, typed: string): Promise<boolean> {
  const code = typedCode(typed)
  if (isRecoveryCode(code))
    return takeRecoveryCode(core.sql, user_uid, recoveryCodeHash(user_uid, code))
  const sealed = await readTotpSecret(core.sql, user_uid, 'confirmed')
  const step = sealed && stepOfCode(core, user_uid, sealed, code)
  return step !== undefined && takeTotpStep(core.sql, user_uid, step)
}

/** Accepts a code of the authenticator app or a recovery code, each of them once. */
export const checkSecondStep = (
  core: Core,
  user_uid: string,
  { code, ip }: { code: string; ip: string },
): Promise<void> =>
  withSecondStepLimits(core, { account: user_uid, ip }, async () => {
    if (!(await takeCode(core, user_uid, code))) refuseSecondStep()
  })
