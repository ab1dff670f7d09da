import type { Platform } from '../builds/builds/fields.ts'
import { objectUid } from '../builds/files/queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import type { NameCollision } from './zip/name-collisions.ts'

/** Who uploads a file, as recorded in its provenance. */
export type Uploader = {
  game_uid: string
  method: 'deploy_key' | 'website'
  key_ref: string | null
  uploaded_by: string | null
}

export type NewFile = Platform &
  Uploader & {
    uid: string
    build_uid: string
    filename: string
    size: number
    checksum: string
    source_checksum?: string | null
    /** The part of the devices that it is for; null if the uploader did not say. */
    release_percent: number | null
  }

/** What an upload is answered with. */
export type UploadedFile = {
  file_uid: string
  status: string
  message: string
  warnings?: string[]
  name_collisions?: NameCollision[]
  build_id: string
  app_id: string
  filename: string
  checksum: string
  channel: string
  os: string
  arch: string
  size: number
}

/** Returns false if the file exists already, because the upload was finished twice. */
export async function insertFile(
  tx: Tx,
  file: NewFile & { object_uid: string | null },
): Promise<boolean> {
  const inserted = await tx`insert into files ${tx(file)} on conflict (uid) do nothing`
  if (inserted.count !== 1) return false
  await tx`
    insert into scan_history (file_uid, state, engine)
    values (${file.uid}, 'scanning', 'upload')`
  return true
}

/** Which content an upload is, and what it is for. */
export type UploadedContent = Platform & { build_uid: string; checksum: string }

type StoredContent = Pick<NewFile, 'uid' | 'build_uid' | 'checksum'>

const uploadedColumns = (sql: Sql | Tx) => sql`
  uid as file_uid, scan as status, 'Received' as message,
  build_uid as build_id, game_uid as app_id,
  filename, checksum, channel, os, arch, size`

const hasContent = (
  sql: Sql | Tx,
  { build_uid, checksum, os, arch, channel }: UploadedContent,
) => sql`
  build_uid = ${build_uid} and checksum = ${checksum}
  and os = ${os} and arch = ${arch} and channel = ${channel}`

/**
 * Finds the file of the build with this content for the same platform and channel that was not
 * rejected: the uploaded one if it is recorded already, or else the newest. Locks the build, so
 * that of concurrent uploads the later ones find the first.
 */
export async function findAcceptedFile(
  tx: Tx,
  { uid, game_uid, ...content }: NewFile,
): Promise<UploadedFile | undefined> {
  // Listing before build is the order in which deleting a listing locks the two, and in which a
  // registration waits for the platform that the file may give its build.
  await tx`select from listings where uid = ${game_uid} for no key update`
  await tx`select from builds where uid = ${content.build_uid} for no key update`
  const [file] = await tx<UploadedFile[]>`
    select ${uploadedColumns(tx)}
    from files
    where ${hasContent(tx, content)} and scan in ('scanning', 'clean', 'withdrawn')
    order by uid = ${uid} desc, uploaded_at desc, uid desc
    limit 1`
  return file
}

/** Changes the part of the devices that a file is for, before its scan has released it. */
export async function changeReleasePercent(
  tx: Tx,
  { file_uid, release_percent }: { file_uid: string; release_percent: number },
): Promise<void> {
  await tx`
    update files set release_percent = ${release_percent}
    where uid = ${file_uid} and scan = 'scanning'`
}

/**
 * Makes a file whose content was uploaded again the newest of its build and platform, so that it is
 * what players get. Does nothing unless other content was uploaded since; files of other channels
 * count, because a channel offers every file of its build.
 */
export async function makeNewest(tx: Tx, file_uid: string): Promise<void> {
  await tx`
    update files f set uploaded_at = now()
    where f.uid = ${file_uid}
      and exists (
        select from files newer
        where newer.build_uid = f.build_uid and newer.os = f.os and newer.arch = f.arch
          and newer.checksum <> f.checksum and newer.scan in ('scanning', 'clean', 'withdrawn')
          and (newer.uploaded_at, newer.uid) > (f.uploaded_at, f.uid))`
}

/**
 * The objects of other files of the build that have this content and were not rejected, and whether
 * the scan of a file that shares the object failed.
 */
export const readStoredContent = (sql: Sql, { uid, build_uid, checksum }: StoredContent) => sql<
  { object_uid: string; has_failed: boolean }[]
>`
  select ${objectUid(sql)} as object_uid, bool_or(f.scan = 'error') as has_failed
  from files f
  where f.build_uid = ${build_uid} and f.checksum = ${checksum} and ${objectUid(sql)} <> ${uid}
  group by ${objectUid(sql)}
  having bool_or(f.scan in ('scanning', 'clean', 'withdrawn'))`

/**
 * Gives the files of damaged objects the object of the uploaded file, which has the same content.
 * Returns the objects that were replaced: none if a concurrent upload has replaced them, or the
 * scanner has rejected their files. The build must be locked.
 */
export async function replaceObjects(
  tx: Tx,
  { uid, build_uid }: StoredContent,
  damaged: readonly string[],
): Promise<string[]> {
  const objects = await tx<{ uid: string }[]>`
    select distinct ${objectUid(tx)} as uid
    from files f
    where f.build_uid = ${build_uid} and ${objectUid(tx)} = any(${damaged as string[]}::uuid[])
      and f.scan in ('scanning', 'clean', 'withdrawn')`
  const replaced = objects.map((object) => object.uid)
  if (replaced.length)
    await tx`
      update files f set object_uid = ${uid}
      where f.build_uid = ${build_uid} and ${objectUid(tx)} = any(${replaced}::uuid[])`
  return replaced
}

/**
 * Finds the stored object of another file of the build with this content, for any platform or
 * channel. The lock on that file keeps the scanner from rejecting it, and so from removing the
 * object, until the new file is recorded.
 */
export async function findStoredContent(
  tx: Tx,
  { uid, build_uid, checksum }: StoredContent,
): Promise<string | null> {
  const [object] = await tx<{ uid: string }[]>`
    select ${objectUid(tx)} as uid
    from files f
    where f.build_uid = ${build_uid} and f.checksum = ${checksum} and f.uid <> ${uid}
      and f.scan in ('scanning', 'clean', 'withdrawn')
    order by f.uploaded_at, f.uid
    limit 1
    for share`
  return object?.uid ?? null
}

/**
 * The file of a completed upload, for a client that did not receive the answer: its own, or the one
 * that the build had already.
 */
export async function readUploadedFile(
  sql: Sql,
  upload: UploadedContent & { file_uid: string },
): Promise<UploadedFile | undefined> {
  const [file] = await sql<UploadedFile[]>`
    select ${uploadedColumns(sql)}
    from files
    where uid = ${upload.file_uid} or (${hasContent(sql, upload)})
    order by uid = ${upload.file_uid} desc, uploaded_at desc
    limit 1`
  return file
}
