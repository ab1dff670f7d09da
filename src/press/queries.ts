import type { Sql, Tx } from '../core/database/sql.ts'
import type { ImageType, MediaKind } from '../listings/media/image-rules.ts'
import { changelog, type PageChange, platforms } from '../listings/page/queries.ts'
import type { PressKit } from './kit-rules.ts'

/** A kit as it was saved. A kit saved before a field existed lacks that field. */
export type SavedKit = Partial<PressKit>
export type PressImage = {
  uid: string
  slot: MediaKind
  position: number
  sha256: string
  alt: string
  type: ImageType
  size: number
  crc32: number | null
}
export type PressFacts = {
  kit: SavedKit | null
  images: PressImage[]
  platforms: string[]
  changelog: PageChange[]
}

export async function readKit(sql: Sql | Tx, game_uid: string): Promise<SavedKit> {
  const [row] = await sql<{ kit: SavedKit }[]>`
    select kit
    from press_kits
    where game_uid = ${game_uid}`
  return row?.kit ?? {}
}

export async function replaceKit(tx: Tx, game_uid: string, kit: PressKit): Promise<void> {
  await tx`
    insert into press_kits (game_uid, kit)
    values (${game_uid}, ${tx.json(kit)})
    on conflict (game_uid) do update
    set kit = excluded.kit, updated_at = now()`
}

/** What the press page adds to the listing; undefined if the listing is not at `version`. */
export async function readPressFacts(
  sql: Sql,
  game_uid: string,
  version: number,
): Promise<PressFacts | undefined> {
  const images = sql`
    select json_agg(
      json_build_object(
        'uid', i.uid, 'slot', i.slot, 'position', i.position, 'sha256', i.sha256, 'alt', i.alt,
        'type', i.type, 'size', i.size, 'crc32', i.crc32)
      order by array_position(array['cover', 'thumbnail', 'gallery'], i.slot), i.position, i.uid)
    from listing_images i
    where i.game_uid = l.uid`
  const [row] = await sql<PressFacts[]>`
    select (select kit from press_kits k where k.game_uid = l.uid) as kit,
      coalesce((${images}), '[]') as images,
      ${platforms(sql)} as platforms,
      ${changelog(sql)} as changelog
    from listings l
    where l.uid = ${game_uid} and l.version = ${version}`
  return row
}
