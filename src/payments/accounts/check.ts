import type { Core } from '../../core/runtime/core.ts'
import { AccountDisconnected } from '../provider/provider.ts'
import { readAccountState } from '../provider/stripe/accounts.ts'
import { disconnectAccount, findAccount, saveAccountState } from './queries.ts'

/** Reads from the provider what an account still needs, and whether the store may use it. */
export async function checkAccount(core: Core, user_uid: string): Promise<void> {
  const account_ref = (await findAccount(core.sql, user_uid))?.account_ref
  if (!account_ref) return
  try {
    await saveAccountState(core.sql, user_uid, await readAccountState(core, account_ref))
  } catch (error) {
    if (!(error instanceof AccountDisconnected)) throw error
    await disconnectAccount(core.sql, user_uid, account_ref)
  }
}
