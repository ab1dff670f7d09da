import type { Sql, Tx } from '../../core/database/sql.ts'
import type { ImageType } from '../media/image-rules.ts'
import { usedImages } from '../media/queries.ts'
import { ENCODER } from './rendition-rules.ts'

export type Preview = { decodable: boolean; placeholder: string }
/** An image that a listing or profile shows. It has no preview before its first renditions are made. */
export type ImageContent = {
  sha256: string
  type: ImageType
  width: number
  height: number
  preview: Preview | null
}

/** Those of the images that any listing or profile shows. */
export async function readContents(
  sql: Sql | Tx,
  sha256s: readonly string[],
): Promise<ImageContent[]> {
  return sql<ImageContent[]>`
    select distinct on (i.sha256) i.sha256, i.type, i.width, i.height,
      case when p.sha256 is not null then
        json_build_object('decodable', p.decodable, 'placeholder', p.placeholder)
      end as preview
    from ${usedImages(sql, sha256s)} i
    left join image_previews p on p.sha256 = i.sha256 and p.encoder = ${ENCODER}`
}

export async function savePreview(sql: Sql | Tx, sha256: string, preview: Preview): Promise<void> {
  const row = { ...preview, encoder: ENCODER }
  await sql`
    insert into image_previews ${sql({ ...row, sha256 })}
    on conflict (sha256) do update set ${sql(row)}`
}

export async function deletePreview(sql: Sql | Tx, sha256: string): Promise<void> {
  await sql`delete from image_previews where sha256 = ${sha256}`
}
