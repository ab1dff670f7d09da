import type { Core } from '../../core/runtime/core.ts'
import { readAccountState } from '../provider/stripe/accounts.ts'
import { findAccount, saveAccountState } from './queries.ts'

/** Reads from the provider what an account still needs. */
export async function checkAccount(core: Core, user_uid: string): Promise<void> {
  const account = await findAccount(core.sql, user_uid)
  if (!account?.account_ref) return
  await saveAccountState(core.sql, user_uid, await readAccountState(core, account.account_ref))
}
