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
  who: Pick<Identity, 'user_uid' | 'game_uid'>,
  listing: { uid: string | null; asset_type: AssetType; parent_uid: string | null },
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
  // The parent as it was read is no change, also when it has been hidden from this developer.
  if (request.game.toLowerCase() === listing.parent_uid) return {}
  const options = { lock_changes: true }
  const [target] = await findListings(tx, [request.game], who.user_uid, options)
  // A key that is restricted to one project can use other listings only if they are public, or
  // name its present parent.
  const in_reach = [who.game_uid, listing.parent_uid]
  const is_usable =
    target && (!who.game_uid || in_reach.includes(target.uid) || target.visibility === 'public')
  return { ...noParent, parent_uid: checkParent(listing, is_usable ? target : null, request.game) }
}
