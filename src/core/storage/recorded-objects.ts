import type { Sql } from '../database/sql.ts'
import type { ListedObject } from './storage.ts'

/** An object that a record refers to, and a description of the record. */
export type Expected = { key: string; size: number | null; of: string }

/** The first part of the key of every object that has a record. */
export const recordedPrefixes = [
  'builds/',
  'symbols/',
  'images/',
  'trailers/',
  'crashes/',
  'bugs/',
  'saves/',
  'patches/',
  'brand/',
]

type SourceRow = Expected & { uid: string }

const UID_AT_END = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=[^/]*$)/
/** The SHA-256 in the key of an image. */
const CONTENT = /^images\/..\/([0-9a-f]{64})$/
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

/** The key of the object of a file; files of a build with the same content share one. */
const fileObjectKey = (sql: Sql) =>
  sql`'builds/' || game_uid || '/' || coalesce(object_uid, uid) || '.zip'`

/** The key of the video of a trailer. */
const videoObjectKey = (sql: Sql) => sql`'trailers/' || game_uid || '/' || object_uid`

/** The key of a patch between two files. */
const patchObjectKey = (sql: Sql) => sql`'patches/' || game_uid || '/' || uid`

/**
 * Every object that a record refers to, read in pages in the order of the uids, so that no query
 * takes long. The keys repeat how the modules build them; a test compares both.
 */
const sources = {
  files: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, ${fileObjectKey(sql)} as key, size,
      'file ' || uid || ' (' || filename || ')' as of
    from files
    where bytes_removed_at is null and scan <> 'infected' and uid > ${after}
    order by uid
    limit ${limit}`,
  symbols: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, 'symbols/' || game_uid || '/' || uid || '.sym' as key, size,
      'symbols ' || uid as of
    from symbols
    where uid > ${after}
    order by uid
    limit ${limit}`,
  images: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, 'images/' || left(sha256, 2) || '/' || sha256 as key, size::bigint,
      'image ' || uid || ' of listing ' || game_uid as of
    from listing_images
    where uid > ${after}
    order by uid
    limit ${limit}`,
  profileImages: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, 'images/' || left(sha256, 2) || '/' || sha256 as key, size::bigint,
      slot || ' of account ' || user_uid as of
    from profile_images
    where uid > ${after}
    order by uid
    limit ${limit}`,
  removedImages: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, 'images/' || left(sha256, 2) || '/' || sha256 as key,
      (image ->> 'size')::bigint as size, 'removed image ' || uid as of
    from removed_images
    where uid > ${after}
    order by uid
    limit ${limit}`,
  posters: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, 'images/' || left(poster_sha256, 2) || '/' || poster_sha256 as key,
      poster_size::bigint as size, 'poster of trailer ' || uid as of
    from listing_trailers
    where poster_sha256 is not null and uid > ${after}
    order by uid
    limit ${limit}`,
  trailers: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, ${videoObjectKey(sql)} as key, size,
      'video of trailer ' || uid || ' of listing ' || game_uid as of
    from listing_trailers
    where object_uid is not null and scan in ('scanning', 'clean') and uid > ${after}
    order by uid
    limit ${limit}`,
  dumps: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, dump_key as key, dump_size as size, 'dump of crash ' || uid as of
    from crashes
    where dump_key is not null and uid > ${after}
    order by uid
    limit ${limit}`,
  logs: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, log_key as key, log_size as size, 'log of crash ' || uid as of
    from crashes
    where log_key is not null and uid > ${after}
    order by uid
    limit ${limit}`,
  screenshots: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, 'bugs/' || game_uid || '/' || uid as key, screenshot_size as size,
      'screenshot of bug ' || uid as of
    from bugs
    where screenshot_type is not null and uid > ${after}
    order by uid
    limit ${limit}`,
  saves: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, 'saves/' || game_uid || '/' || uid as key, size::bigint,
      'save ' || uid || ' of listing ' || game_uid as of
    from saves
    where uid > ${after}
    order by uid
    limit ${limit}`,
  patches: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select uid, ${patchObjectKey(sql)} as key, size, 'patch ' || uid || ' to file ' || to_file as of
    from file_patches
    where size is not null and uid > ${after}
    order by uid
    limit ${limit}`,
  brandImages: (sql: Sql, after: string, limit: number) => sql<SourceRow[]>`
    select image.uid, 'brand/' || image.uid || '-' || file.key as key, file.value::bigint as size,
      'file ' || file.key || ' of the ' || s.name || ' of the store' as of
    from store_settings s
    cross join lateral (select (s.value ->> 'uid')::uuid as uid) image
    cross join lateral jsonb_each_text(s.value -> 'files') file
    where s.name in ('logo', 'favicon') and image.uid > ${after}
    order by image.uid
    limit ${limit}`,
}

/** How far the records have been read; a null source is the beginning. */
export type Position = { source: string | null; after_uid: string | null }
type Page = { rows: (Expected & { position: Position })[]; next: Position | undefined }

const sourceNames = Object.keys(sources) as (keyof typeof sources)[]

/** The next objects after a position. `next` is undefined at the end. */
export async function expectedPage(sql: Sql, { source, after_uid }: Position, limit: number) {
  const index = Math.max(0, sourceNames.indexOf(source as keyof typeof sources))
  const name = sourceNames[index]!
  const records = await sources[name](sql, after_uid ?? FIRST_UID, limit)
  const rows = records.map(({ uid, ...row }) => ({
    ...row,
    position: { source: name, after_uid: uid },
  }))
  const following = sourceNames[index + 1]
  const next = rows.at(-1)?.position ?? (following && { source: following, after_uid: null })
  return { rows, next } satisfies Page as Page
}

export async function* expectedObjects(sql: Sql, limit = 500): AsyncGenerator<Expected[]> {
  let position: Position | undefined = { source: null, after_uid: null }
  while (position) {
    const page: Page = await expectedPage(sql, position, limit)
    if (page.rows.length) yield page.rows
    position = page.next
  }
}

/**
 * Those of the keys that a record still refers to. This is checked again before an object is
 * reported as missing, because builds may have been deleted meanwhile.
 */
export async function stillExpected(sql: Sql, keys: string[]): Promise<Set<string>> {
  if (!keys.length) return new Set()
  const uids = keys.map((key) => key.match(UID_AT_END)?.[0] ?? FIRST_UID)
  const hashes = keys.flatMap((key) => key.match(CONTENT)?.[1] ?? [])
  const rows = await sql<{ key: string }[]>`
    select ${fileObjectKey(sql)} as key
    from files
    where (uid = any(${uids}::uuid[]) or object_uid = any(${uids}::uuid[]))
      and bytes_removed_at is null
    union all
    select 'symbols/' || game_uid || '/' || uid || '.sym'
    from symbols
    where uid = any(${uids}::uuid[])
    union all
    select 'images/' || left(sha256, 2) || '/' || sha256
    from shown_images
    where sha256 = any(${hashes}::text[])
    union all
    select 'images/' || left(sha256, 2) || '/' || sha256
    from profile_images
    where sha256 = any(${hashes}::text[])
    union all
    select 'images/' || left(sha256, 2) || '/' || sha256
    from removed_images
    where sha256 = any(${hashes}::text[])
    union all
    select ${videoObjectKey(sql)}
    from listing_trailers
    where object_uid = any(${uids}::uuid[]) and scan in ('scanning', 'clean')
    union all
    select dump_key
    from crashes
    where dump_key = any(${keys})
    union all
    select log_key
    from crashes
    where log_key = any(${keys})
    union all
    select 'bugs/' || game_uid || '/' || uid
    from bugs
    where uid = any(${uids}::uuid[]) and screenshot_type is not null
    union all
    select 'saves/' || game_uid || '/' || uid
    from saves
    where uid = any(${uids}::uuid[])
    union all
    select ${patchObjectKey(sql)}
    from file_patches
    where uid = any(${uids}::uuid[]) and size is not null
    union all
    select 'brand/' || (s.value ->> 'uid') || '-' || file.key
    from store_settings s
    cross join lateral jsonb_each_text(s.value -> 'files') file
    where s.name in ('logo', 'favicon')`
  return new Set(rows.map(({ key }) => key))
}

/** The SHA-256 of each object whose record has one. For an image it is part of the key. */
export async function recordedHashes(sql: Sql, keys: string[]): Promise<Map<string, string>> {
  const uids = keys.flatMap((key) => key.match(UID_AT_END)?.[0] ?? [])
  const rows = uids.length
    ? await sql<{ key: string; checksum: string }[]>`
        select ${fileObjectKey(sql)} as key, lower(checksum) as checksum
        from files
        where uid = any(${uids}::uuid[]) or object_uid = any(${uids}::uuid[])
        union all
        select 'symbols/' || game_uid || '/' || uid || '.sym', lower(checksum)
        from symbols
        where uid = any(${uids}::uuid[])
        union all
        select ${videoObjectKey(sql)}, sha256
        from listing_trailers
        where object_uid = any(${uids}::uuid[])
        union all
        select 'saves/' || game_uid || '/' || uid, sha256
        from saves
        where uid = any(${uids}::uuid[])
        union all
        select ${patchObjectKey(sql)}, sha256
        from file_patches
        where uid = any(${uids}::uuid[]) and size is not null`
    : []
  const images = keys
    .map((key) => [key, key.match(CONTENT)?.[1]] as const)
    .filter((pair): pair is [string, string] => !!pair[1])
  return new Map([
    ...rows
      .filter(({ checksum }) => checksum.length === 64)
      .map(({ key, checksum }) => [key, checksum] as const),
    ...images,
  ])
}

/** An object with the SHA-256 of its record, in hex, if a record has one. */
export type HashedObject = ListedObject & { sha256?: string | undefined }

const KEYS_PER_QUERY = 200

/** Adds the recorded hash to each object, with one query for many. */
export async function* withRecordedHashes(
  sql: Sql,
  objects: AsyncIterable<ListedObject>,
): AsyncGenerator<HashedObject> {
  let batch: ListedObject[] = []
  const hashBatch = async () => {
    const hashes = await recordedHashes(
      sql,
      batch.map(({ key }) => key),
    )
    return batch.map((object) => ({ ...object, sha256: hashes.get(object.key) }))
  }
  for await (const object of objects) {
    if (batch.push(object) < KEYS_PER_QUERY) continue
    yield* await hashBatch()
    batch = []
  }
  yield* await hashBatch()
}
