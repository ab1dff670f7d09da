import type { Tx } from '../../core/database/sql.ts'
import {
  addBoughtCopies,
  findEdition,
  type GrantedEdition,
  recordGiver,
  removeBoughtCopy,
} from '../../library/copy-queries.ts'
import {
  insertOrderCopies,
  lockListings,
  type OrderRow,
  passCopyOn,
  takeOrderCopies,
} from './queries.ts'

/**
 * Gives what an order is for to a person: its buyer, or whoever accepted the gift. False if they
 * have all of it already. The listing is locked by the caller.
 */
export async function giveOrderCopies(
  tx: Tx,
  order: OrderRow & { game_uid: string },
  user_uid: string,
): Promise<boolean> {
  const { uid, game_uid, edition_uid, buyer_uid, gift_for } = order
  const edition: GrantedEdition | undefined = edition_uid
    ? await findEdition(tx, game_uid, edition_uid)
    : undefined
  const copies = await addBoughtCopies(tx, { user_uid, game_uid, ...(edition && { edition }) })
  await insertOrderCopies(tx, uid, { copies, user_uid: gift_for ? user_uid : null })
  // A copy that the person had before stays theirs, whoever improves it.
  const given = copies.filter(({ previous }) => !previous)
  if (gift_for && buyer_uid)
    await recordGiver(
      tx,
      { user_uid, given_by: buyer_uid },
      given.map((copy) => copy.game_uid),
    )
  return copies.length > 0
}

/** Takes the copies of an order back from whoever has them, and returns who that was. */
export async function takeCopies(
  tx: Tx,
  { uid, buyer_uid }: Pick<OrderRow, 'uid' | 'buyer_uid'>,
): Promise<string | undefined> {
  const copies = await takeOrderCopies(tx, uid)
  const holder = copies[0]?.user_uid ?? buyer_uid
  if (!holder || !copies.length) return undefined
  await lockListings(
    tx,
    copies.map(({ game_uid }) => game_uid),
  )
  for (const copy of copies)
    if (!(await passCopyOn(tx, holder, copy))) await removeBoughtCopy(tx, holder, copy)
  return holder
}
