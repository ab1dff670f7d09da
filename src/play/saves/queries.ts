import { listingExists } from '../../accounts/people/role-queries.ts'
import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import { MAX_VERSIONS } from './slot-rules.ts'

/** Whose save it is, of which game. */
export type SaveOwner = { user_uid: string; game_uid: string }
export type SaveRow = {
  uid: string
  slot: string
  version: number
  size: number
  sha256: string
  saved_at: Date
}

const columns = (sql: Sql | Tx) => sql`s.uid, s.slot, s.version, s.size, s.sha256, s.saved_at`
const isOf = (sql: Sql | Tx, { user_uid, game_uid }: SaveOwner) => sql`
  s.user_uid = ${user_uid} and s.game_uid = ${game_uid}`

/** Whether the game is there; one that was deleted may be restored, but has no routes. */
export async function hasGame(sql: Sql, game_uid: string): Promise<boolean> {
  const [row] = await sql`select from listings where uid = ${game_uid}`
  return row !== undefined
}

/** Makes others wait who change saves of the same player and game until the transaction ends. */
export async function lockSaves(tx: Tx, { user_uid, game_uid }: SaveOwner): Promise<void> {
  const name = `saves ${user_uid} ${game_uid}`
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}

export type SlotRow = SaveRow & { versions: number }

/** The current version of every slot, by name. */
export const listSlots = (sql: Sql | Tx, owner: SaveOwner) => sql<SlotRow[]>`
  select distinct on (s.slot) ${columns(sql)}, (count(*) over (partition by s.slot))::int as versions
  from saves s
  where ${isOf(sql, owner)}
  order by s.slot, s.version desc`

/** The versions of a slot, the current one first. */
export const listVersions = (sql: Sql | Tx, owner: SaveOwner, slot: string) => sql<SaveRow[]>`
  select ${columns(sql)}
  from saves s
  where ${isOf(sql, owner)} and s.slot = ${slot}
  order by s.version desc`

export async function readSave(
  sql: Sql | Tx,
  owner: SaveOwner,
  slot: string,
  version?: number,
): Promise<SaveRow | undefined> {
  const [row] = await sql<SaveRow[]>`
    select ${columns(sql)}
    from saves s
    where ${isOf(sql, owner)} and s.slot = ${slot}
      ${version === undefined ? sql`` : sql`and s.version = ${version}`}
    order by s.version desc
    limit 1`
  return row
}

/** How many bytes the next version of a slot removes: those of the oldest, if there are too many. */
export async function bytesReplaced(sql: Sql | Tx, owner: SaveOwner, slot: string) {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(old.size), 0)::int as bytes
    from (
      select s.size
      from saves s
      where ${isOf(sql, owner)} and s.slot = ${slot}
      order by s.version desc
      offset ${MAX_VERSIONS - 1}
    ) old`
  return row!.bytes
}

type NewSave = Omit<SaveRow, 'saved_at'>

/** Undefined if the account or the game is gone by now. */
export async function insertSave(
  tx: Tx,
  { user_uid, game_uid }: SaveOwner,
  { uid, slot, version, size, sha256 }: NewSave,
): Promise<SaveRow | undefined> {
  const [row] = await tx<SaveRow[]>`
    insert into saves as s (uid, user_uid, game_uid, slot, version, size, sha256)
    select ${uid}, u.uid, l.uid, ${slot}, ${version}, ${size}, ${sha256}
    from users u
    join listings l on l.uid = ${game_uid}
    where u.uid = ${user_uid}
    returning ${columns(tx)}`
  return row
}

/** Deletes the versions that are too old; returns their uids. */
export async function deleteOldVersions(
  tx: Tx,
  owner: SaveOwner,
  { slot, version }: Pick<SaveRow, 'slot' | 'version'>,
): Promise<string[]> {
  const rows = await tx<{ uid: string }[]>`
    delete from saves s
    where ${isOf(tx, owner)} and s.slot = ${slot} and s.version <= ${version - MAX_VERSIONS}
    returning s.uid`
  return rows.map(({ uid }) => uid)
}

/** Deletes a slot, or all slots of a player in a game; returns the uids of all versions. */
export async function deleteSaves(
  sql: Sql | Tx,
  owner: SaveOwner,
  slot?: string,
): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    delete from saves s
    where ${isOf(sql, owner)} ${slot === undefined ? sql`` : sql`and s.slot = ${slot}`}
    returning s.uid`
  return rows.map(({ uid }) => uid)
}

/** Which of these versions are recorded. */
export async function findRecordedSaves(sql: Sql, uids: string[]): Promise<Set<string>> {
  const rows = await sql<{ uid: string }[]>`
    select uid from saves where uid = any(${uids}::uuid[])`
  return new Set(rows.map(({ uid }) => uid))
}

export type OwnSave = SaveRow & { game_uid: string }

/** A version by its uid, for the person whose it is. */
export async function readOwnSave(
  sql: Sql,
  user_uid: string,
  uid: string,
): Promise<OwnSave | undefined> {
  const [row] = await sql<OwnSave[]>`
    select s.game_uid, ${columns(sql)}
    from saves s
    where s.uid = ${uid} and s.user_uid = ${user_uid} and ${listingExists(sql, 's')}`
  return row
}

export type PlayedGame = {
  game_uid: string
  name: string
  shared_at: Date | null
  saves: { uid: string; slot: string; size: number; saved_at: string; versions: number }[]
}

/** The games that know who the person is, or keep saves of them, by name. */
export const listPlayedGames = (sql: Sql, user_uid: string) => sql<PlayedGame[]>`
  with slots as (
    select distinct on (s.game_uid, s.slot) s.game_uid, ${columns(sql)},
      count(*) over (partition by s.game_uid, s.slot) as versions
    from saves s
    where s.user_uid = ${user_uid}
    order by s.game_uid, s.slot, s.version desc
  ),
  saved as (
    select game_uid,
      jsonb_agg(jsonb_build_object('uid', uid, 'slot', slot, 'size', size,
        'saved_at', ${isoTime(sql, sql`saved_at`)}, 'versions', versions) order by slot) as saves
    from slots
    group by game_uid
  )
  select l.uid as game_uid, l.name, p.shared_at, coalesce(d.saves, '[]') as saves
  from (
    select game_uid from play_sharing where user_uid = ${user_uid}
    union
    select game_uid from saved
  ) g
  join listings l on l.uid = g.game_uid
  left join play_sharing p on p.game_uid = l.uid and p.user_uid = ${user_uid}
  left join saved d on d.game_uid = l.uid
  order by l.name, l.uid`
