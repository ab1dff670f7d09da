import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { SecondFactorChange } from '../mail-templates.ts'
import { replaceRecoveryCodes } from './queries.ts'
import { newRecoveryCode, RECOVERY_CODES, recoveryCodeHash } from './recovery-codes.ts'

/** Stores new recovery codes, which end the old ones, and returns them: only now can they be read. */
export async function issueRecoveryCodes(tx: Tx, user_uid: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  await replaceRecoveryCodes(
    tx,
    user_uid,
    codes.map((code) => recoveryCodeHash(user_uid, code)),
  )
  return codes
}

/** Tells the person by mail, in case it was somebody else. */
export const notifyChange = (
  { jobs }: Core,
  tx: Tx,
  user_uid: string,
  change: SecondFactorChange,
): Promise<unknown> =>
  jobs.send(tx, 'accounts.mail-second-factor', { user_uid, id: uuidv7(), change })
