import { type ListingAlias, listingExists } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { ImageType, MediaKind } from './image-rules.ts'
import type { StoredImage } from './store.ts'

export type ImageRow = NewImage & { slot: MediaKind; position: number; alt: string }
export type NewImage = StoredImage & { uid: string; alt?: string }

/** The cover or thumbnail of a listing, as JSON; null if it has none. */
export const imageColumn = (
  sql: Sql | Tx,
  slot: 'cover' | 'thumbnail',
  alias: ListingAlias = 'l',
) => sql`
  (
    select json_build_object('sha256', i.sha256, 'type', i.type)
    from listing_images i
    where i.game_uid = ${sql(alias)}.uid and i.slot = ${slot}
  )`

/** The images of a listing: the gallery in order, the cover and the thumbnail. */
export async function readImages(sql: Sql | Tx, game_uid: string): Promise<ImageRow[]> {
  return sql<ImageRow[]>`
    select uid, slot, position, alt, sha256, type, width, height, size
    from listing_images
    where game_uid = ${game_uid}
    order by slot, position, uid`
}

/** Adds images to the gallery. The caller must lock the listing first. */
export async function insertGallery(tx: Tx, game_uid: string, images: NewImage[]): Promise<void> {
  await tx`
    insert into listing_images
    ${tx(images.map((image) => ({ ...image, game_uid, slot: 'gallery' })))}`
}

/** Numbers the gallery from 0 in the order of the uids. The caller must lock the listing first. */
export async function placeGallery(tx: Tx, game_uid: string, uids: string[]): Promise<void> {
  await tx`
    update listing_images i
    set position = o.place - 1
    from unnest(${uids}::uuid[]) with ordinality o (uid, place)
    where i.game_uid = ${game_uid} and i.slot = 'gallery'
      and i.uid = o.uid and i.position <> o.place - 1`
}

export async function replaceSingle(
  tx: Tx,
  game_uid: string,
  slot: Exclude<MediaKind, 'gallery'>,
  image: NewImage,
): Promise<void> {
  await tx`
    insert into listing_images ${tx({ ...image, game_uid, slot })}
    on conflict (game_uid, slot) where slot <> 'gallery'
    do update set ${tx({ ...image, created_at: new Date() })}`
}

export async function updateAlt(tx: Tx, uid: string, alt: string): Promise<void> {
  await tx`
    update listing_images
    set alt = ${alt}
    where uid = ${uid} and alt <> ${alt}`
}

export async function deleteImages(tx: Tx, uids: string[]): Promise<void> {
  await tx`delete from listing_images where uid = any(${uids}::uuid[])`
}

/** Those of the images that any listing or profile shows. An image may be in several rows. */
export const usedImages = (sql: Sql | Tx, sha256s: readonly string[]) => sql`
  (
    select i.sha256, i.type, i.width, i.height, i.size
    from shown_images i
    where i.sha256 = any(${sha256s as string[]}::text[]) and ${listingExists(sql, 'i')}
    union all
    select p.sha256, p.type, p.width, p.height, p.size
    from profile_images p
    where p.sha256 = any(${sha256s as string[]}::text[])
  )`

/** The type and size of an image, if any listing or profile shows it. */
export async function findContent(
  sql: Sql,
  sha256: string,
): Promise<{ type: ImageType; size: number } | undefined> {
  const [content] = await sql<{ type: ImageType; size: number }[]>`
    select i.type, i.size
    from ${usedImages(sql, [sha256])} i
    limit 1`
  return content
}

/** Stores a checksum that was computed when a zip first needed it. */
export async function keepCrc(sql: Sql, sha256: string, crc32: number): Promise<void> {
  await sql`
    update listing_images
    set crc32 = ${crc32}
    where sha256 = ${sha256} and crc32 is null`
}

/**
 * Locks image content until the transaction ends, so that no other transaction starts to use it or
 * deletes it from the store. The hashes are sorted so that concurrent calls cannot deadlock.
 */
export async function lockContent(tx: Tx, sha256s: string[]): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(hashtextextended('image ' || sha256, 0))
    from (
      select distinct sha256
      from unnest(${sha256s}::text[]) sha256
      order by sha256
    ) ordered`
}

/** The hashes among these that no listing or profile refers to, and that no moderator removed. */
export async function unusedContent(sql: Sql | Tx, sha256s: string[]): Promise<string[]> {
  const rows = await sql<{ sha256: string }[]>`
    select sha256
    from unnest(${sha256s}::text[]) sha256
    where not exists (select from shown_images i where i.sha256 = sha256.sha256)
      and not exists (select from profile_images p where p.sha256 = sha256.sha256)
      and not exists (select from removed_images r where r.sha256 = sha256.sha256)
      and not exists (select from report_images r where r.sha256 = sha256.sha256)`
  return rows.map(({ sha256 }) => sha256)
}
