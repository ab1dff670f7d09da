import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import type { AssetType } from '../fields/fields.ts'
import { type Change, findListings } from '../listing/queries.ts'
import { checkParent, checkTakesParent, parentAfter, readParent } from './parent.ts'

const noParent = { parent_uid: null, parent_external_name: null, parent_external_url: null }

/** The parent a request names, or what a change of type leaves of the one there is. */
export async function parentFields(
  tx: Tx,
  who: Identity,
  listing: { uid: string | null },
  asset_type: AssetType,
  patch: { parent?: unknown; asset_type?: AssetType },
): Promise<Change> {
  if (patch.parent === undefined)
    return patch.asset_type && !parentAfter(asset_type, true) ? noParent : {}
  const asked = readParent(patch.parent)
  if (!asked) return noParent
  checkTakesParent(asset_type)
  if (!('game' in asked))
    return {
      parent_uid: null,
      parent_external_name: asked.external_name,
      parent_external_url: asked.external_url,
    }
  // A key bound to one project sees of the others what everyone does.
  const [found] = await findListings(tx, [asked.game], who.user_uid, true)
  const seen =
    found && (!who.game_uid || found.uid === who.game_uid || found.visibility === 'public')
      ? found
      : null
  return { ...noParent, parent_uid: checkParent({ uid: listing.uid, asset_type }, seen) }
}
