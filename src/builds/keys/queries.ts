import { isVerified } from '../../accounts/people/role-queries.ts'
import type { Suspension } from '../../accounts/people/suspension.ts'
import { suspensionOf } from '../../accounts/people/suspension-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'

export type DeployKeyRow = { uid: string; prefix: string; created_at: Date }
export type NewDeployKey = {
  uid: string
  game_uid: string
  issued_by: string
  prefix: string
  token_hash: Buffer
  secret_hash: Buffer
}
export type DeployKey = {
  key_uid: string
  game_uid: string
  issued_by: string | null
  secret_hash: Buffer
  revoked: boolean
  owner_verified: boolean
  /** That of the owner or, without one, of who issued the key. */
  suspension: Suspension | null
}

/** Whether who issued the key `k` runs its listing `l`. */
const issuerHasRole = (sql: Sql) => sql`
  (l.owner_uid is not distinct from k.issued_by or exists (
    select
    from listing_admins a
    where a.game_uid = l.uid and a.user_uid = k.issued_by and a.accepted_at is not null))`

export async function findDeployKey(sql: Sql, token_hash: Buffer): Promise<DeployKey | undefined> {
  const [key] = await sql<DeployKey[]>`
    select k.uid as key_uid, k.game_uid, k.issued_by, k.secret_hash,
      k.revoked_at is not null or not ${issuerHasRole(sql)} as revoked,
      ${isVerified(sql)} as owner_verified,
      coalesce(${suspensionOf(sql)}, (
        select ${suspensionOf(sql)} from users u where u.uid = k.issued_by)) as suspension
    from deploy_keys k
    join listings l on l.uid = k.game_uid
    join users u on u.uid = l.owner_uid
    where k.token_hash = ${token_hash}`
  return key
}

export async function readCurrentDeployKeys(sql: Sql, game_uid: string): Promise<DeployKeyRow[]> {
  return sql<DeployKeyRow[]>`
    select uid, prefix, created_at
    from deploy_keys
    where game_uid = ${game_uid} and revoked_at is null
    order by created_at desc`
}

/** Returns how many keys were revoked. */
export async function revokeDeployKeys(sql: Sql | Tx, game_uid: string): Promise<number> {
  const revoked = await sql`
    update deploy_keys set revoked_at = now()
    where game_uid = ${game_uid} and revoked_at is null`
  return revoked.count
}

/** Locks the listing's row, so that of two keys issued at once only the later one stays valid. */
export async function issueDeployKey(tx: Tx, key: NewDeployKey): Promise<void> {
  await tx`select from listings where uid = ${key.game_uid} for no key update`
  await revokeDeployKeys(tx, key.game_uid)
  await tx`insert into deploy_keys ${tx(key)}`
}
