import type { Sql } from '../../core/database/sql.ts'
import { MIN_BYTES, MOST_PATHS, type Terms } from './bundle-check.ts'

export type BundleMatch = Terms & { uid: string; name: string; files: number; paths: string[] }

/**
 * The packs whose files a build holds, by content. A pack that is not public is named only to who runs it, not to all who run the game; a
 * file that is in a pack twice is one file.
 */
export async function findBundledPacks(
  sql: Sql,
  game_uid: string,
  build_uid: string,
  user_uid: string,
): Promise<BundleMatch[]> {
  return sql<BundleMatch[]>`
    with people as (
      select owner_uid as user_uid from listings where uid = ${game_uid}
      union select user_uid from listing_admins where game_uid = ${game_uid} and accepted_at is not null),
    mine as (
      select e.sha256, e.path from file_entries e join files f on f.uid = e.file_uid
      where f.build_uid = ${build_uid} and f.scan = 'clean' and e.size >= ${MIN_BYTES} and e.sha256 is not null),
    packed as (
      select distinct c.sha256, f.game_uid from (select distinct sha256 from mine) m join pack_contents c on c.sha256 = m.sha256
      join files f on f.uid = c.file_uid and f.scan = 'clean' where f.game_uid <> ${game_uid}),
    matched as (
      select p.game_uid, count(distinct m.path)::int as files, (array_agg(distinct m.path order by m.path))[1:${MOST_PATHS}] as paths
      from packed p join mine m on m.sha256 = p.sha256 group by p.game_uid)
    select l.uid, l.name, l.license_kind, t.files, t.paths,
      l.owner_uid in (select user_uid from people) as is_own,
      (select k.source from licences k where k.game_uid = l.uid and k.user_uid in (select user_uid from people)
        order by array_position(array['purchase', 'grant', 'free'], k.source) limit 1) as licence
    from matched t join listings l on l.uid = t.game_uid
    where l.visibility = 'public' or l.owner_uid = ${user_uid}
      or exists (select from listing_admins a where a.game_uid = l.uid and a.user_uid = ${user_uid} and a.accepted_at is not null)
    order by t.files desc, l.name, l.uid`
}
