import { acceptedAdmins } from '../../accounts/people/role-queries.ts'
import type { Sql } from '../../core/database/sql.ts'
import { whereNameable } from '../../listings/listing/visibility-queries.ts'
import { MAX_PATHS, MIN_FILE_BYTES, type PackRights } from './bundle-check.ts'

export type BundledPack = PackRights & { uid: string; name: string; files: number; paths: string[] }

/** The owner of a project and everyone who accepted an invitation to run it. */
const projectPeople = (sql: Sql, game_uid: string) => sql`
  select owner_uid as user_uid from listings where uid = ${game_uid}
  union
  ${acceptedAdmins(sql, game_uid)}`

/** The entries of a build's files that passed their scan and are large enough to compare. */
const comparedEntries = (sql: Sql, build_uid: string) => sql`
  select e.sha256, e.path
  from file_entries e
  join files f on f.uid = e.file_uid
  where f.build_uid = ${build_uid} and f.scan in ('clean', 'withdrawn')
    and e.size >= ${MIN_FILE_BYTES} and e.sha256 is not null`

/** Which packs of other projects contain the same files. */
const packedEntries = (sql: Sql, game_uid: string) => sql`
  select distinct c.sha256, f.game_uid
  from (select distinct sha256 from entries) hashes
  join pack_contents c on c.sha256 = hashes.sha256
  join files f on f.uid = c.file_uid and f.scan in ('clean', 'withdrawn')
  where f.game_uid <> ${game_uid}`

/**
 * The packs whose files a build contains, compared by content. A pack that is not public is named
 * only to those who run it, not to everyone who runs the game. A file that a pack contains twice
 * counts once.
 */
export async function findBundledPacks(
  sql: Sql,
  game_uid: string,
  build_uid: string,
  user_uid: string,
): Promise<BundledPack[]> {
  return sql<BundledPack[]>`
    with people as (${projectPeople(sql, game_uid)}),
    entries as (${comparedEntries(sql, build_uid)}),
    packed as (${packedEntries(sql, game_uid)}),
    matches as (
      select p.game_uid,
        count(distinct e.path)::int as files,
        (array_agg(distinct e.path order by e.path))[1:${MAX_PATHS}] as paths
      from packed p
      join entries e on e.sha256 = p.sha256
      group by p.game_uid)
    select l.uid, l.name, l.license_kind, m.files, m.paths,
      l.owner_uid in (select user_uid from people) as is_own,
      (select k.source
        from licences k
        where k.game_uid = l.uid and k.user_uid in (select user_uid from people)
        order by array_position(array['purchase', 'grant', 'key', 'free'], k.source)
        limit 1) as copy_source
    from matches m
    join listings l on l.uid = m.game_uid
    where ${whereNameable(sql, user_uid)}
    order by m.files desc, l.name, l.uid`
}
