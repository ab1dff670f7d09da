import type { Core } from '../../core/runtime/core.ts'
import { chooseProvider } from '../provider/open-providers.ts'
import { readSellable } from './queries.ts'

/** Whether a listing with a price can be bought: the store takes payments, and its owner gets them. */
export async function canSell({ config, sql }: Core, game_uid: string): Promise<boolean> {
  const { stripe_secret_key, payment_instructions } = config
  if (!stripe_secret_key && !payment_instructions) return false
  const seller = await readSellable(sql, game_uid)
  return seller !== undefined && chooseProvider(config, seller, 1) !== undefined
}
