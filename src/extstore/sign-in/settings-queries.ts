import type { Sql, Tx } from '../../core/database/sql.ts'

/** The link of a listing to an app, and its sign-in settings if enabled. */
export type LinkRow = {
  game_uid: string
  app_id: number
  app_name: string
  linked_at: Date
  last_synced_at: Date | null
  enabled: boolean
  ticket_key: string | null
  auth_key_last4: string | null
}

export async function readLink(sql: Sql | Tx, game_uid: string): Promise<LinkRow | undefined> {
  const [row] = await sql<LinkRow[]>`
    select k.game_uid, k.app_id, k.app_name, k.linked_at, k.last_synced_at,
      s.game_uid is not null as enabled, s.ticket_key, s.auth_key_last4
    from extstore_links k
    left join extstore_sign_in s on s.game_uid = k.game_uid
    where k.game_uid = ${game_uid}`
  return row
}

/** Links a listing to an app, or updates the link. Returns false if another listing has the app. */
export async function linkApp(
  tx: Tx,
  game_uid: string,
  { app_id, app_name }: { app_id: number; app_name: string },
): Promise<boolean> {
  const { count } = await tx`
    insert into extstore_links (game_uid, app_id, app_name, last_synced_at)
    values (${game_uid}, ${app_id}, ${app_name}, now())
    on conflict do nothing`
  if (count) return true
  const updated = await tx`
    update extstore_links
    set app_name = ${app_name}, last_synced_at = now()
    where game_uid = ${game_uid} and app_id = ${app_id}`
  return updated.count === 1
}

export async function unlinkApp(tx: Tx, game_uid: string): Promise<void> {
  await tx`delete from extstore_links where game_uid = ${game_uid}`
}

export type AuthKeyRow = { generation: string; auth_key_hash: Buffer; auth_key_last4: string }

export async function insertSignIn(
  tx: Tx,
  game_uid: string,
  key: AuthKeyRow,
  ticket_key: string,
): Promise<void> {
  await tx`insert into extstore_sign_in ${tx({ game_uid, ...key, ticket_key })}`
}

export async function setAuthKey(tx: Tx, game_uid: string, key: AuthKeyRow): Promise<void> {
  await tx`update extstore_sign_in set ${tx(key)} where game_uid = ${game_uid}`
}

export async function setTicketKey(tx: Tx, game_uid: string, ticket_key: string): Promise<void> {
  await tx`update extstore_sign_in set ticket_key = ${ticket_key} where game_uid = ${game_uid}`
}

export async function deleteSignIn(tx: Tx, game_uid: string): Promise<void> {
  await tx`delete from extstore_sign_in where game_uid = ${game_uid}`
}
