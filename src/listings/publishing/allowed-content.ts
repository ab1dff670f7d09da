import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { lockSetting } from '../../core/settings/queries.ts'
import type { AssetType, Visibility } from '../fields/fields.ts'
import { withholdAdult } from '../listing/queries.ts'
import type { ListingRules } from '../listing/store-rules.ts'
import { isUnreleasedPage } from '../listing/visibility.ts'

/** What the operators of the store allow; see `ListingRules`. */

export function checkAssetType(
  asset_type: AssetType,
  { asset_types }: Pick<ListingRules, 'asset_types'>,
): void {
  if (!asset_types.includes(asset_type))
    refuse('ASSET_TYPE_OFF', { field: 'asset_type', asset_types })
}

type Page = { adult: boolean; visibility: Visibility }

/**
 * Refuses to mark a listing as adult, or to show an adult one to players. The setting is read from
 * the database and kept until the transaction ends, because a page that is shown after the setting
 * changed in all processes would stay.
 */
export async function checkAdult(
  tx: Tx,
  listing: Page,
  patch: Partial<Page>,
  { adult_content }: ListingRules,
): Promise<void> {
  const { adult = listing.adult, visibility = listing.visibility } = patch
  const is_marked = adult && !listing.adult
  const is_shown = visibility !== listing.visibility && !isUnreleasedPage({ visibility })
  if (!adult || (!is_marked && !is_shown)) return
  const is_allowed = adult_content && (await lockSetting(tx, 'adult_content')) !== false
  if (!is_allowed) refuse('ADULT_CONTENT_OFF', { field: is_marked ? 'adult' : 'visibility' })
}

/** Hides adult listings, or shows them again, when the setting changed, and as the service starts. */
export async function followAdultSetting({ sql, settings }: Core): Promise<void> {
  let applied: boolean | undefined
  const apply = async () => {
    const { adult_content } = settings.current
    if (adult_content === applied) return
    await withholdAdult(sql, adult_content)
    applied = adult_content
  }
  settings.onChange(apply)
  await apply()
}
