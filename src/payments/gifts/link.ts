import { linkToken, readLinkToken } from '../../accounts/credentials/link-tokens.ts'
import type { Core } from '../../core/runtime/core.ts'
import { findGift, type GiftRow } from './queries.ts'

/** The path of the page of a gift. Its token is derived from a key, and stored nowhere. */
export const giftPath = (core: Core, uid: string): string =>
  `/library/gift?token=${linkToken(core, 'gift', uid)}`

/** The gift of a link that this service made. */
export async function findGiftByToken(core: Core, token: string): Promise<GiftRow | undefined> {
  const uid = readLinkToken(core, 'gift', token)
  return uid ? findGift(core.sql, uid) : undefined
}
