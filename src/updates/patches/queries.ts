import { listingExists } from '../../accounts/people/role-queries.ts'
import type { ChannelAccess } from '../../builds/channels/access.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { StoredZipFile } from '../contents.ts'

/** Of a patch the old file may be withdrawn: its players are the ones who need another build. */
const isServed = (sql: Sql | Tx) => sql`
  p.size is not null
  and exists (select from files t where t.uid = p.to_file and t.scan = 'clean')
  and exists (select from files o where o.uid = p.from_file and o.scan in ('clean', 'withdrawn'))`

/** Whether the viewer can know of the build that the patch is from: a channel of theirs had it. */
const isKnown = (sql: Sql, { channels, all }: ChannelAccess) => sql`
  (${all} or exists (
    select
    from files o
    join channel_history h on h.game_uid = o.game_uid and h.build_uid = o.build_uid
    where o.uid = p.from_file and h.channel = any(${channels})))`

export type OfferedPatch = {
  patch_uid: string
  from_build: string
  from_file: string
  size: number
  sha256: string
  format: string
}

/** The patches to a file, from the newest build first. */
export const listPatches = (sql: Sql, to_file: string, access: ChannelAccess) => sql<
  OfferedPatch[]
>`
  select p.uid as patch_uid, f.build_uid as from_build, p.from_file, p.size, p.sha256, p.format
  from file_patches p
  join files f on f.uid = p.from_file
  where p.to_file = ${to_file} and ${isServed(sql)} and ${isKnown(sql, access)}
  order by f.uploaded_at desc, p.uid`

export type StoredPatch = {
  uid: string
  game_uid: string
  to_file: string
  size: number
  sha256: string
}

/** A patch of a listing that the viewer can know of. */
export async function findPatch(
  sql: Sql,
  game_uid: string,
  uid: string,
  access: ChannelAccess,
): Promise<StoredPatch | undefined> {
  const [row] = await sql<StoredPatch[]>`
    select p.uid, p.game_uid, p.to_file, p.size, p.sha256
    from file_patches p
    where p.uid = ${uid} and p.game_uid = ${game_uid}
      and ${isServed(sql)} and ${isKnown(sql, access)}`
  return row
}

/** A patch that may be sent to whoever has a link to it. */
export async function readServedPatch(
  sql: Sql,
  to_file: string,
  uid: string,
): Promise<StoredPatch | undefined> {
  const [row] = await sql<StoredPatch[]>`
    select p.uid, p.game_uid, p.to_file, p.size, p.sha256
    from file_patches p
    where p.uid = ${uid} and p.to_file = ${to_file} and ${isServed(sql)}
      and ${listingExists(sql, 'p')}`
  return row
}

export async function countPatchDownload(sql: Sql, uid: string): Promise<void> {
  await sql`update file_patches set downloads = downloads + 1 where uid = ${uid}`
}

export type FilePair = { from_file: string; to_file: string }

type PairRow = { from: StoredZipFile; to: StoredZipFile; pass: number | null; size: number | null }

const fileColumns = (sql: Sql, alias: string) => sql`
  jsonb_build_object('uid', ${sql(alias)}.uid, 'game_uid', ${sql(alias)}.game_uid,
    'object_uid', coalesce(${sql(alias)}.object_uid, ${sql(alias)}.uid),
    'size', ${sql(alias)}.size, 'os', ${sql(alias)}.os)`

/** Two clean files of a listing, and which pass made their patch, if any. */
export async function readPair(
  sql: Sql,
  { from_file, to_file }: FilePair,
): Promise<PairRow | undefined> {
  const [row] = await sql<PairRow[]>`
    select ${fileColumns(sql, 'o')} as from, ${fileColumns(sql, 't')} as to, p.pass, p.size
    from files o
    join files t on t.game_uid = o.game_uid
    left join file_patches p on p.from_file = o.uid and p.to_file = t.uid
    where o.uid = ${from_file} and t.uid = ${to_file}
      and o.scan = 'clean' and t.scan = 'clean' and ${listingExists(sql, 't')}`
  return row
}

export type NewPatch = FilePair & {
  uid: string
  game_uid: string
  size: number | null
  sha256: string | null
  full_size: number | null
  pass: number
  format: string
}

/**
 * Records a patch, unless one of its files is not clean any more or another run was first. Returns
 * whether it did, and the patch that it replaces.
 */
export async function savePatch(
  tx: Tx,
  { from_file, to_file, game_uid, ...patch }: NewPatch,
): Promise<{ saved: boolean; replaced?: string | undefined }> {
  const files = await tx<{ uid: string }[]>`
    select uid
    from files
    where uid in (${from_file}, ${to_file}) and scan = 'clean'
    order by uid
    for share`
  if (files.length !== 2) return { saved: false }
  const [before] = await tx<{ uid: string; pass: number; size: number | null }[]>`
    select uid, pass, size
    from file_patches
    where to_file = ${to_file} and from_file = ${from_file}
    for update`
  if (before && before.pass >= patch.pass) return { saved: false }
  const { count } = before
    ? await tx`update file_patches set ${tx(patch)}, made_at = now() where uid = ${before.uid}`
    : await tx`
        insert into file_patches ${tx({ ...patch, from_file, to_file, game_uid })}
        on conflict do nothing`
  return { saved: count === 1, replaced: before?.size ? before.uid : undefined }
}

/** The second pass found nothing better. */
export async function markImproved(tx: Tx, { from_file, to_file }: FilePair): Promise<void> {
  await tx`
    update file_patches set pass = 2 where to_file = ${to_file} and from_file = ${from_file}`
}

/** Whether a channel delivers the build that the patch makes, to all devices or a part of them. */
const isDelivered = (sql: Sql | Tx) => sql`
  exists (
    select
    from files f
    where f.uid = p.to_file
      and (exists (select from channel_heads h where h.build_uid = f.build_uid)
        or exists (select from staged_releases s where s.build_uid = f.build_uid)))`

/** Patches of the first pass that many players download. */
export const findPopularPatches = (sql: Sql, least: number, limit: number) => sql<FilePair[]>`
  select p.from_file, p.to_file
  from file_patches p
  where p.pass = 1 and p.size is not null and p.downloads >= ${least}
    and ${isDelivered(sql)} and ${isServed(sql)}
  order by p.downloads desc, p.uid
  limit ${limit}`

/** Deletes the patches to builds that no channel delivers any more; returns those with bytes. */
export const deleteOldPatches = (tx: Tx) => tx<{ uid: string; game_uid: string }[]>`
  with gone as (
    delete from file_patches p
    where p.made_at < now() - interval '1 day' and not ${isDelivered(tx)}
    returning p.uid, p.game_uid, p.size
  )
  select uid, game_uid from gone where size is not null`

/** Which of these patches are recorded. */
export async function findRecordedPatches(sql: Sql, uids: string[]): Promise<Set<string>> {
  const rows = await sql<{ uid: string }[]>`
    select uid from file_patches where uid = any(${uids}::uuid[])`
  return new Set(rows.map(({ uid }) => uid))
}
