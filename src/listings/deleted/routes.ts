import { Type } from 'typebox'
import { requireDeveloperMode } from '../../accounts/people/developer-terms.ts'
import { lockDeveloperMode } from '../../accounts/people/queries.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import { transact } from '../../core/database/transaction.ts'
import { Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { assetTypes } from '../fields/fields.ts'
import { typesWithParent } from '../listing/change.ts'
import { lockForEditor } from '../listing/edit.ts'
import { deleteListing } from '../listing/queries.ts'
import { canDelete } from '../listing/visibility.ts'
import { hasPlayers, listDeleted, markDeleted, unmarkDeleted } from './queries.ts'

const GAMES = '/api/v1/private/games'
const DELETED = '/api/v1/private/deleted-games'
const params = Type.Object({ uid: Type.String() })

export const deleteListingRoute = route({
  method: 'DELETE',
  url: `${GAMES}/:uid`,
  summary:
    'Delete a listing and everything that belongs to it; only its owner can. One with players can ' +
    'be restored until purge_at',
  auth: website,
  step_up: true,
  params,
  data: Type.Object({ purge_at: Nullable(Timestamp) }),
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  handle: ({ core, request, who, params }) =>
    transact(core.sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      if (!canDelete(listing)) refuse('OWNER_ONLY')
      const event = { kind: 'listing_deleted', game_uid: listing.uid } as const
      await recordSecurityEvent(tx, { core, request }, event)
      if (await hasPlayers(tx, listing.uid))
        return { purge_at: (await markDeleted(tx, listing.uid)).toISOString() }
      await deleteListing(tx, listing.uid, typesWithParent)
      return { purge_at: null }
    }),
})

const taken_down = Type.Boolean({
  description: 'Whether moderators took it down, which restoring it does not undo',
})

const DeletedListingData = Type.Object({
  uid: Uid,
  vanity_name: Type.String(),
  name: Type.String(),
  asset_type: OneOf(assetTypes),
  deleted_at: Timestamp,
  purge_at: Timestamp,
  taken_down,
})
nameSchemas({ DeletedListing: DeletedListingData })

export const listDeletedRoute = route({
  method: 'GET',
  url: DELETED,
  summary: 'List your deleted listings that can be restored',
  auth: website,
  data: Type.Object({ items: Type.Array(DeletedListingData) }),
  async handle({ sql, who }) {
    const listings = await listDeleted(sql, who.user_uid)
    const items = listings.map((listing) => ({
      ...listing,
      deleted_at: listing.deleted_at.toISOString(),
      purge_at: listing.purge_at.toISOString(),
    }))
    return { items }
  },
})

export const restoreListingRoute = route({
  method: 'POST',
  url: `${DELETED}/:uid/restore`,
  summary: 'Restore a deleted listing as it was; only its owner can',
  auth: website,
  params,
  data: Type.Object({ uid: Uid, vanity_name: Type.String(), taken_down }),
  errors: ['NOT_FOUND', 'DEVELOPER_MODE_REQUIRED'],
  handle: ({ core, who, params: { uid } }) =>
    transact(core.sql, async (tx) => {
      if (!isUuid(uid)) refuse('NOT_FOUND')
      requireDeveloperMode(await lockDeveloperMode(tx, who.user_uid))
      const restored = (await unmarkDeleted(tx, uid, who.user_uid)) ?? refuse('NOT_FOUND')
      return { uid: uid.toLowerCase(), ...restored }
    }),
})

export const deletedListingRoutes = [deleteListingRoute, listDeletedRoute, restoreListingRoute]
