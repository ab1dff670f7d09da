import { checkEmail } from '../../accounts/people/email-addresses.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Sql } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { sha256, uuidv7 } from '../../core/security/crypto.ts'
import { type GrantedEdition, hasBought } from '../../library/copy-queries.ts'
import { findUser } from '../../listings/people/queries.ts'
import { readSellable } from '../orders/queries.ts'
import { readOwnAddress, wasGiven } from './queries.ts'

/** Who gets a gift: an account, or a mail address that need not have one. */
export type GiftReceiver = {
  to_uid: string | null
  to_email: string | null
  /** The same for the same receiver, and no address that could be read. */
  key: string
}

type Gift = {
  gift_to: string
  game_uid: string
  /** The edition that the buyer named, and the one that is sold. */
  edition: GrantedEdition | undefined
  sold_edition_uid: string | null
}

/**
 * The receiver that a buyer named. Whether a mail address has an account, and what that account
 * has, stays secret: its owner learns it when they accept the gift.
 */
export async function findReceiver(
  { sql }: Core,
  who: Identity,
  gift: Gift,
): Promise<GiftReceiver> {
  const receiver = await identifyReceiver(sql, who, gift)
  const { game_uid, sold_edition_uid: edition_uid } = gift
  const order = { buyer_uid: who.user_uid, game_uid, edition_uid, gift_for: receiver.key }
  // The payment for it would only be sent back.
  if (await wasGiven(sql, order))
    refuse(
      'GIFT_NOT_POSSIBLE',
      { field: 'gift_to' },
      explain('gift_given', 'gift_to: you gave this person the same before'),
    )
  return receiver
}

async function identifyReceiver(
  sql: Sql,
  who: Identity,
  { gift_to, game_uid, edition }: Gift,
): Promise<GiftReceiver> {
  const name = gift_to.trim()
  if (name.includes('@')) {
    const to_email = checkEmail(name, 'gift_to')
    const address = to_email.toLowerCase()
    if (address === (await readOwnAddress(sql, who.user_uid)).toLowerCase()) refuseToSelf()
    return { to_uid: null, to_email, key: sha256(address).toString('hex') }
  }
  const { uid } =
    (name && (await findUser(sql, name))) ||
    refuse('NOT_FOUND', { field: 'gift_to' }, explain('no_user', 'gift_to: there is no such user'))
  if (uid === who.user_uid) refuseToSelf()
  const has_it = await hasBought(sql, { user_uid: uid, game_uid }, edition)
  if (has_it || (await readSellable(sql, game_uid))?.owner_uid === uid)
    refuse(
      'GIFT_NOT_POSSIBLE',
      { field: 'gift_to' },
      explain('receiver_has_copy', 'gift_to: this person has it already'),
    )
  return { to_uid: uid, to_email: null, key: uid }
}

const refuseToSelf = (): never =>
  refuse(
    'GIFT_NOT_POSSIBLE',
    { field: 'gift_to' },
    explain('gift_to_self', 'gift_to: this is you; order it without gift_to'),
  )

export const giftOf = (
  { to_uid, to_email }: GiftReceiver,
  order_uid: string,
  given_by: string,
) => ({ uid: uuidv7(), order_uid, to_uid, to_email, given_by })
