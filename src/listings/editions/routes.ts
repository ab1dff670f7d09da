import { Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer } from '../../accounts/sessions/schemes.ts'
import type { Tx } from '../../core/database/sql.ts'
import { CheckedBody, route, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { editListing, findForEditor } from '../listing/edit.ts'
import { edition, newEdition } from '../listing/input-schemas.ts'
import type { ListingFor } from '../listing/queries.ts'
import { GAMES, ListingParams } from '../listing/routes.ts'
import { listingRules } from '../listing/store-rules.ts'
import { EditionData } from '../page/schema.ts'
import { findListings } from '../relations/link-queries.ts'
import {
  checkBundle,
  checkEdition,
  checkEditionAgainstAnonymous,
  checkEditionAllowed,
  checkEditionFits,
  type Edition,
  type PriceRules,
} from './prices.ts'
import {
  deleteEdition,
  type EditionRow,
  insertEdition,
  readEditions,
  updateEdition,
} from './queries.ts'

const url = `${GAMES}/:uid/editions`
const auth = developer('mcp:money')
const EditionParams = Type.Object({ uid: Type.String(), edition_uid: Type.String() })
const refusals = [
  'NOT_FOUND',
  'LISTING_CHECK_FAILED',
  'INVALID_EDITION',
  'TOO_MANY_EDITIONS',
  'PRICE_REQUIRES_SIGN_IN',
  'PAID_LISTINGS_OFF',
  'PAYMENT_ACCOUNT_REQUIRED',
] as const

export const listEditions = route({
  method: 'GET',
  url,
  summary: 'List the editions of a listing, including inactive ones',
  auth: developer('mcp:read', 'mcp:money'),
  params: ListingParams,
  data: Type.Object({ editions: Type.Array(EditionData) }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return { editions: await readEditions(sql, uid) }
  },
})

/**
 * A bundle gives access to its parts, so only someone who may edit a listing can add it. A key that
 * is restricted to one project can add only that project. Parts already in the bundle may remain.
 */
const mayBundle = (
  who: Identity,
  part: { uid: string; is_editor: boolean },
  current: EditionRow | null,
) =>
  current?.bundle_asset_uids.includes(part.uid) ||
  (part.is_editor && (!who.game_uid || who.game_uid === part.uid))

type EditionChange = {
  rules: PriceRules
  who: Identity
  listing: ListingFor
  body: Record<string, unknown>
  /** All editions of the listing. */
  editions: EditionRow[]
  /** The edition that changes; null for a new one. */
  current: EditionRow | null
}

/**
 * Validates an edition against its own rules, the other editions, the setting for signed-out
 * downloads and the rules for bundles, and returns it as it is stored.
 */
async function validateEdition(
  tx: Tx,
  { rules, who, listing, body, editions, current }: EditionChange,
): Promise<Edition> {
  const edition = checkEdition(body, current, rules)
  checkEditionAllowed(edition, current, rules)
  const others = editions.filter((other) => other !== current)
  checkEditionFits(edition, others, rules)
  checkEditionAgainstAnonymous(
    { is_new: !current, active: edition.active },
    listing.anonymous_downloads,
  )
  const targets = await findListings(tx, edition.bundle_asset_uids, who.user_uid)
  // If the request does not send the parts, drop those that were deleted since and skip the check.
  if (current && !('bundle_asset_uids' in body))
    return { ...edition, bundle_asset_uids: targets.flatMap((target) => target?.uid ?? []) }
  const parts = targets.map(
    (target) =>
      target && {
        uid: target.uid,
        of_seller: target.owner_uid === listing.owner_uid && mayBundle(who, target, current),
      },
  )
  return { ...edition, bundle_asset_uids: checkBundle(listing.uid, parts) }
}

export const addEdition = route({
  method: 'POST',
  url,
  summary: 'Add an edition',
  auth,
  step_up: true,
  params: ListingParams,
  body: CheckedBody(newEdition),
  status: 201,
  data: EditionData,
  errors: [...refusals],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const rules = listingRules(core.settings.current)
      const editions = await readEditions(tx, listing.uid)
      const change = { rules, who, listing, body, editions, current: null }
      const edition = await validateEdition(tx, change)
      const uid = uuidv7()
      await insertEdition(tx, listing.uid, uid, edition)
      return { uid, ...edition }
    }),
})

const findEdition = (editions: EditionRow[], uid: string) =>
  editions.find((edition) => edition.uid === uid) ?? refuse('NOT_FOUND')

export const changeEdition = route({
  method: 'PATCH',
  url: `${url}/:edition_uid`,
  summary: 'Change an edition',
  auth,
  step_up: true,
  params: EditionParams,
  body: CheckedBody(edition),
  data: EditionData,
  errors: [...refusals],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const rules = listingRules(core.settings.current)
      const editions = await readEditions(tx, listing.uid)
      const current = findEdition(editions, params.edition_uid)
      const change = { rules, who, listing, body, editions, current }
      const edition = await validateEdition(tx, change)
      await updateEdition(tx, current.uid, edition)
      if (edition.price_cents !== current.price_cents)
        await recordAudit(tx, {
          user_uid: who.user_uid,
          game_uid: listing.uid,
          action: 'listings.change-price',
          detail: { edition: edition.slug, from: current.price_cents, to: edition.price_cents },
        })
      return { uid: current.uid, ...edition }
    }),
})

export const deleteEditionRoute = route({
  method: 'DELETE',
  url: `${url}/:edition_uid`,
  summary: 'Delete an edition',
  auth,
  step_up: true,
  params: EditionParams,
  data: Type.Object({ uid: Uid }),
  errors: ['NOT_FOUND'],
  handle: ({ core, who, params }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const { uid } = findEdition(await readEditions(tx, listing.uid), params.edition_uid)
      await deleteEdition(tx, uid)
      return { uid }
    }),
})

export const editionRoutes = [listEditions, addEdition, changeEdition, deleteEditionRoute]
