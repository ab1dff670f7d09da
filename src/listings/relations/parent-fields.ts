import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import type { AssetType } from '../fields/fields.ts'
import type { Change } from '../listing/queries.ts'
import { findListings } from './link-queries.ts'
import { checkParent, checkTakesParent, parentAfter, readParent } from './parent.ts'

const noParent = { parent_uid: null, parent_external_name: null, parent_external_url: null }

/**
 * The columns to update for the parent in a request. Without one, a change to a type that cannot
 * have a parent clears the current parent. The listing has the type that it will have.
 */
export async function parentFields(
  tx: Tx,
  who: Identity,
  listing: { uid: string | null; asset_type: AssetType },
  patch: { parent?: unknown; asset_type?: AssetType },
): Promise<Change> {
  if (patch.parent === undefined)
    return patch.asset_type && !parentAfter(listing.asset_type, true) ? noParent : {}
  const request = readParent(patch.parent)
  if (!request) return noParent
  checkTakesParent(listing.asset_type)
  if (!('game' in request))
    return {
      parent_uid: null,
      parent_external_name: request.external_name,
      parent_external_url: request.external_url,
    }
  // A key that is restricted to one project can use other listings only if they are public.
  const options = { lock_changes: true }
  const [target] = await findListings(tx, [request.game], who.user_uid, options)
  const parent =
    target && (!who.game_uid || target.uid === who.game_uid || target.visibility === 'public')
      ? target
      : null
  return { ...noParent, parent_uid: checkParent(listing, parent) }
}
