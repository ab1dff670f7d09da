import type { Sql, Tx } from '../../core/database/sql.ts'
import { accountColumns } from '../people/queries.ts'
import { listingExists } from '../people/role-queries.ts'
import type { Identity } from '../sessions/identity.ts'

export type KeyKind = 'player' | 'agent'
export type KeyRow = {
  uid: string
  name: string
  scopes: string[]
  prefix: string
  game_uid: string | null
  created_at: Date
}

/** Whether the project that a key or grant is bound to exists, if it is bound to one. */
export const projectExists = (sql: Sql | Tx, alias: string) =>
  sql`(${sql(alias)}.game_uid is null or ${listingExists(sql, alias)})`

const keyColumns = (sql: Sql | Tx) => sql`uid, name, scopes, prefix, game_uid, created_at`

export async function findKey(sql: Sql, key_hash: Buffer): Promise<Identity | undefined> {
  const [identity] = await sql<Identity[]>`
    select ${accountColumns(sql)}, k.kind,
      k.uid as credential_uid, k.name as credential_name,
      k.scopes, k.game_uid, null::timestamptz as expires_at
    from access_keys k
    join users u on u.uid = k.user_uid
    where k.key_hash = ${key_hash} and ${projectExists(sql, 'k')}`
  return identity
}

/**
 * An access token of the authorization server. It ends with its grant, and its kind is that of the
 * one server it was issued for.
 */
export async function findAccessToken(sql: Sql, id_hash: Buffer): Promise<Identity | undefined> {
  const [identity] = await sql<Identity[]>`
    select ${accountColumns(sql)}, t.audience as kind,
      g.uid as credential_uid, coalesce(g.client_name, '') as credential_name,
      string_to_array(t.payload ->> 'scope', ' ') as scopes, g.game_uid, t.expires_at
    from oauth_records t
    join oauth_records g
      on g.kind = 'Grant' and g.id_hash = t.grant_hash and g.expires_at > now()
    join users u on u.uid = t.user_uid
    where t.kind = 'AccessToken' and t.id_hash = ${id_hash}
      and t.expires_at > now() and t.audience is not null
      and ${projectExists(sql, 'g')}`
  return identity
}

export async function listKeys(sql: Sql, user_uid: string, kind: KeyKind): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select ${keyColumns(sql)}
    from access_keys k
    where user_uid = ${user_uid} and kind = ${kind} and ${projectExists(sql, 'k')}
    order by created_at desc, uid desc`
}

/**
 * Inserts a key unless the account already has `max_keys` of its kind. The account must be locked,
 * so that two concurrent requests cannot both create the last key.
 */
export async function insertKey(
  tx: Tx,
  key: Omit<KeyRow, 'created_at'> & { user_uid: string; kind: KeyKind; key_hash: Buffer },
  max_keys: number,
): Promise<KeyRow | undefined> {
  const [existing] = await tx<{ keys: number }[]>`
    select count(*)::int as keys
    from access_keys k
    where user_uid = ${key.user_uid} and kind = ${key.kind} and ${projectExists(tx, 'k')}`
  if (existing!.keys >= max_keys) return undefined
  const [row] = await tx<KeyRow[]>`
    insert into access_keys ${tx(key)}
    returning ${keyColumns(tx)}`
  return row
}

/** The project that the key was bound to; undefined if there is no such key. */
export async function deleteKey(
  tx: Tx,
  { uid, user_uid, kind }: { uid: string; user_uid: string; kind: KeyKind },
): Promise<{ game_uid: string | null } | undefined> {
  const [key] = await tx<{ game_uid: string | null }[]>`
    delete from access_keys k
    where uid = ${uid} and user_uid = ${user_uid} and kind = ${kind}
      and ${projectExists(tx, 'k')}
    returning game_uid`
  return key
}
