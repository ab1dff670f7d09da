import type { Sql } from '../../core/database/sql.ts'
import { brandImagesOf } from '../../core/settings/brand-images.ts'
import { readSettingRows } from '../../core/settings/queries.ts'

/** The uids of the images that the store uses. */
export async function readUsedImageUids(sql: Sql): Promise<Set<string>> {
  const images = Object.values(brandImagesOf(await readSettingRows(sql)))
  return new Set(images.map(({ uid }) => uid))
}
