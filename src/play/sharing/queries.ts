import type { Sql } from '../../core/database/sql.ts'

/** Whether a person lets a game know who they are. */
export async function isShared(sql: Sql, user_uid: string, game_uid: string): Promise<boolean> {
  const [row] = await sql`
    select from play_sharing where user_uid = ${user_uid} and game_uid = ${game_uid}`
  return row !== undefined
}

export async function share(sql: Sql, user_uid: string, game_uid: string): Promise<void> {
  await sql`
    insert into play_sharing (user_uid, game_uid)
    values (${user_uid}, ${game_uid})
    on conflict do nothing`
}

/** Withdraws it, also for a game that the person no longer sees. */
export async function unshare(sql: Sql, user_uid: string, game: string): Promise<void> {
  await sql`
    delete from play_sharing p
    using listings l
    where p.user_uid = ${user_uid} and l.uid = p.game_uid
      and (l.uid::text = lower(${game}) or l.vanity_name = ${game})`
}
