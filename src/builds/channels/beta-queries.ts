import type { Sql } from '../../core/database/sql.ts'

export async function countBetaPlayers(sql: Sql, game_uid: string): Promise<number> {
  const [row] = await sql`
    select count(*)::int as players from player_channels where game_uid = ${game_uid}`
  return row!.players
}

export async function choosePlayerChannel(
  sql: Sql,
  user_uid: string,
  game_uid: string,
  channel: 'stable' | 'beta',
): Promise<void> {
  if (channel === 'stable')
    await sql`
      delete from player_channels where user_uid = ${user_uid} and game_uid = ${game_uid}`
  else
    await sql`
      insert into player_channels ${sql({ user_uid, game_uid, channel })} on conflict do nothing`
}

/** An active edition that sells access to the beta of the game. */
const sellsBeta = (sql: Sql, game_uid: string) =>
  sql`game_uid = ${game_uid} and active and kind = 'beta_access'`

const boughtBeta = (sql: Sql, game_uid: string, user_uid: string) => sql`
  exists (
    select from licences
    where game_uid = ${game_uid} and user_uid = ${user_uid} and edition_kind = 'beta_access')`

/**
 * Whether a player who joined the beta gets its builds. While the beta is sold, those who joined
 * when it was free do not, until they buy it.
 */
export async function isOnBeta(sql: Sql, game_uid: string, user_uid: string): Promise<boolean> {
  const [row] = await sql`
    select from player_channels
    where game_uid = ${game_uid} and user_uid = ${user_uid}
      and (not exists (select from editions where ${sellsBeta(sql, game_uid)})
        or ${boughtBeta(sql, game_uid, user_uid)})`
  return row !== undefined
}

/** Those of these games whose beta the player has joined; `isOnBeta` for many games. */
export async function readBetaGames(
  sql: Sql,
  user_uid: string,
  game_uids: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ game_uid: string }[]>`
    select p.game_uid
    from player_channels p
    where p.user_uid = ${user_uid}
      and p.game_uid = any(${game_uids as string[]}::uuid[])
      and (
        not exists (
          select from editions e
          where e.game_uid = p.game_uid and e.active and e.kind = 'beta_access'
        )
        or exists (
          select from licences o
          where o.game_uid = p.game_uid and o.user_uid = p.user_uid
            and o.edition_kind = 'beta_access'
        )
      )`
  return rows.map(({ game_uid }) => game_uid)
}

export type Sku = { uid: string; slug: string; name: string; price_cents: number }

/** The editions that a person must buy one of to join the beta; empty if they may join. */
export async function readBetaSkus(sql: Sql, game_uid: string, user_uid: string): Promise<Sku[]> {
  return sql<Sku[]>`
    select uid, slug, name, price_cents
    from editions
    where ${sellsBeta(sql, game_uid)} and not ${boughtBeta(sql, game_uid, user_uid)}
    order by price_cents, uid`
}
