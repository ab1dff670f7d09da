import type { Sql, Tx } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { whereReleased } from '../../listings/listing/visibility-queries.ts'
import type { TargetType } from '../decisions.ts'

/** What a decision is about. */
export type Target = {
  type: TargetType
  /** In its one spelling, so that all decisions about a target have the same. */
  id: string
  name: string
  game_uid: string | null
  /** The person concerned: the publisher, the author, or the person itself. */
  subject_uid: string | null
}

type Found = Omit<Target, 'type'>
type Finder = (sql: Sql | Tx, id: string) => Promise<readonly Found[]>

const byUid =
  (find: Finder): Finder =>
  async (sql, id) =>
    isUuid(id) ? find(sql, id.toLowerCase()) : []

/**
 * Targets are found in every state that moderators gave them, and while the owner of a deleted
 * listing can restore it, so that this does not bring back what must not be public.
 */
const finders: Record<TargetType, Finder> = {
  listing: (sql, id) => sql<Found[]>`
    select l.uid as id, l.name, l.uid as game_uid, l.owner_uid as subject_uid
    from all_listings l
    where ${isUuid(id) ? sql`l.uid = ${id}` : sql`l.vanity_name = ${id}`}`,
  file: byUid(
    (sql, uid) => sql<Found[]>`
      select f.uid as id, f.filename as name, f.game_uid, l.owner_uid as subject_uid
      from files f
      join all_listings l on l.uid = f.game_uid
      where f.uid = ${uid}`,
  ),
  build: byUid(
    (sql, uid) => sql<Found[]>`
      select b.uid as id, concat_ws(' ', l.name, b.version) as name, b.game_uid,
        l.owner_uid as subject_uid
      from builds b
      join all_listings l on l.uid = b.game_uid
      where b.uid = ${uid}`,
  ),
  review: byUid(
    (sql, uid) => sql<Found[]>`
      select r.uid as id, l.name, r.game_uid, r.user_uid as subject_uid
      from all_reviews r
      join all_listings l on l.uid = r.game_uid
      where r.uid = ${uid}`,
  ),
  async community_tag(sql, id) {
    const [, game_uid = '', tag = ''] = /^([^:]+):(.+)$/.exec(id) ?? []
    if (!isUuid(game_uid)) return []
    return sql<Found[]>`
      select c.game_uid || ':' || c.tag as id, c.tag as name, c.game_uid,
        null::uuid as subject_uid
      from community_tags c
      join all_listings l on l.uid = c.game_uid
      where c.game_uid = ${game_uid} and c.tag = ${tag}`
  },
  image: byUid(
    (sql, uid) => sql<Found[]>`
      select i.uid as id, l.name, i.game_uid, l.owner_uid as subject_uid
      from (
        select uid, game_uid from listing_images where uid = ${uid}
        union all
        select uid, game_uid from removed_images where uid = ${uid} and game_uid is not null
      ) i
      join all_listings l on l.uid = i.game_uid
      union all
      select i.uid, u.username, null, u.uid
      from (
        select uid, user_uid from profile_images where uid = ${uid}
        union all
        select uid, user_uid from removed_images where uid = ${uid} and user_uid is not null
      ) i
      join users u on u.uid = i.user_uid`,
  ),
  bug_message: byUid(
    (sql, uid) => sql<Found[]>`
      select b.uid as id, l.name, b.game_uid, b.user_uid as subject_uid
      from bugs b
      join all_listings l on l.uid = b.game_uid
      where b.uid = ${uid}`,
  ),
  person: (sql, id) => sql<Found[]>`
    select u.uid as id, u.username as name, null::uuid as game_uid, u.uid as subject_uid
    from users u
    where ${isUuid(id) ? sql`u.uid = ${id}` : sql`lower(u.username) = lower(${id})`}`,
}

export async function findTarget(
  sql: Sql | Tx,
  type: TargetType,
  id: string,
): Promise<Target | undefined> {
  const [match] = await finders[type](sql, id)
  return match && { type, ...match }
}

/** Listings that others than their editors can know of; moderators see no other drafts. */
export const whereModerated = (sql: Sql) =>
  sql`(${whereReleased(sql)} or l.taken_down_at is not null)`

/** Whether others than its editors can know of a target. */
export async function isPublished(
  sql: Sql,
  { game_uid }: { game_uid: string | null },
): Promise<boolean> {
  if (game_uid === null) return true
  const [row] = await sql`
    select
    from all_listings l
    where l.uid = ${game_uid} and ${whereModerated(sql)}`
  return row !== undefined
}

/** The listing that a target belongs to, by name. */
export async function findListingOf(
  sql: Sql,
  { type, game_uid }: Target,
): Promise<{ uid: string; name: string } | undefined> {
  if (type === 'listing' || !game_uid) return undefined
  const [row] = await sql<{ uid: string; name: string }[]>`
    select l.uid, l.name
    from all_listings l
    where l.uid = ${game_uid}`
  return row
}
