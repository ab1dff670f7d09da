import type { Sql, Tx } from '../../core/database/sql.ts'
import type { GrantedEdition } from '../copy-queries.ts'
import type { KeyFacts } from './redeem-key.ts'

export type NewBatch = {
  uid: string
  game_uid: string
  edition_uid: string | null
  label: string
  size: number
  created_by: string
  expires_at: Date | null
}

export async function insertBatch(tx: Tx, batch: NewBatch, hashes: Buffer[]): Promise<void> {
  await tx`insert into key_batches ${tx(batch)}`
  await tx`
    insert into redeem_keys (hash, batch_uid)
    select decode(hash, 'hex'), ${batch.uid}
    from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as hash`
}

export type BatchRow = {
  uid: string
  label: string
  edition: { uid: string; name: string } | null
  size: number
  redeemed: number
  last_redeemed_at: Date | null
  created_by: string | null
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

const batchColumns = (sql: Sql | Tx) => sql`
  b.uid, b.label, b.size, b.created_at, b.expires_at, b.revoked_at, u.username as created_by,
  case when e.uid is not null then json_build_object('uid', e.uid, 'name', e.name) end as edition,
  k.redeemed, k.last_redeemed_at`

/** The batches of a listing, the newest first, with how many of their keys were redeemed. */
export async function readBatches(
  sql: Sql | Tx,
  game_uid: string,
  uid: string | null = null,
): Promise<BatchRow[]> {
  return sql<BatchRow[]>`
    select ${batchColumns(sql)}
    from key_batches b
    left join editions e on e.uid = b.edition_uid
    left join users u on u.uid = b.created_by
    cross join lateral (
      select count(r.redeemed_at)::int as redeemed, max(r.redeemed_at) as last_redeemed_at
      from redeem_keys r
      where r.batch_uid = b.uid) k
    where b.game_uid = ${game_uid} and (${uid}::uuid is null or b.uid = ${uid})
    order by b.uid desc`
}

export async function countBatches(tx: Tx, game_uid: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from key_batches where game_uid = ${game_uid}`
  return row!.count
}

/** False if the listing has no such batch, or it is revoked. */
export async function revokeBatch(tx: Tx, game_uid: string, uid: string): Promise<boolean> {
  const { count } = await tx`
    update key_batches
    set revoked_at = now()
    where uid = ${uid} and game_uid = ${game_uid} and revoked_at is null`
  return count === 1
}

export type KeyRow = KeyFacts & {
  game_uid: string
  name: string
  vanity_name: string
  username: string
  edition: GrantedEdition | null
}

/** A key with what it is for, locked until the transaction ends. */
export async function lockKey(tx: Tx, hash: Buffer): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    select k.redeemed_at, b.expires_at, b.revoked_at, l.uid as game_uid, l.name, l.vanity_name,
      u.username,
      case when e.uid is not null then json_build_object(
        'uid', e.uid, 'kind', e.kind, 'price_cents', e.price_cents,
        'bundle_uids', e.bundle_uids) end as edition
    from redeem_keys k
    join key_batches b on b.uid = k.batch_uid
    join listings l on l.uid = b.game_uid
    join users u on u.uid = l.owner_uid
    left join editions e on e.uid = b.edition_uid
    where k.hash = ${hash}
    for update of k
    for share of b
    for key share of l`
  return row
}

export async function markRedeemed(tx: Tx, hash: Buffer, user_uid: string): Promise<void> {
  await tx`
    update redeem_keys
    set redeemed_by = ${user_uid}, redeemed_at = now()
    where hash = ${hash}`
}
