import { type Static, Type } from 'typebox'
import { scopesCover } from '../../accounts/keys/scopes.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer } from '../../accounts/sessions/schemes.ts'
import { answerOnce, keyedRequest } from '../../core/database/idempotency-keys.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { longPageQuery, pageData, paging } from '../../core/http/paging.ts'
import { Body, Checked, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import { assetTypes, statuses, visibilities } from '../fields/fields.ts'
import { showPage } from '../page/page.ts'
import { seenAdultChildren } from '../page/parent-and-children.ts'
import { readPage } from '../page/queries.ts'
import { PageData } from '../page/schema.ts'
import { announceRelease, PublicationData, readPublication } from '../publishing/publication.ts'
import { changeListing } from './change.ts'
import { checkListing } from './check.ts'
import { addListing } from './create.ts'
import { editListing, enforceListingCheck, findForEditor, lockForEditor } from './edit.ts'
import { readFacts } from './facts-queries.ts'
import { license, parent, price_cents, translations } from './input-schemas.ts'
import { listOwnListings } from './queries.ts'
import { listingRules } from './store-rules.ts'

export const GAMES = '/api/v1/private/games'
export const ListingParams = Type.Object({ uid: Type.String() })
const MAX_LISTINGS = 100
const optional = {
  text: Type.Optional(Type.String()),
  flag: Type.Optional(Type.Boolean()),
  parent: Type.Optional(Checked(parent)),
}

const NewListingBody = Body({
  name: Type.String(),
  asset_type: Type.Optional(OneOf(assetTypes)),
  vanity_name: optional.text,
  tagline: optional.text,
  description: optional.text,
  parent: optional.parent,
  visibility: Type.Optional(OneOf(visibilities)),
  adult: optional.flag,
  indexable: optional.flag,
})

async function makeListing(
  core: Core,
  tx: Tx,
  who: Identity,
  { visibility = 'draft', adult, indexable, ...body }: Static<typeof NewListingBody>,
) {
  const rules = listingRules(core.settings.current)
  const { uid, vanity_name } = await addListing(tx, who, body, rules)
  const patch = {
    ...(adult === undefined ? {} : { adult }),
    ...(indexable === undefined ? {} : { indexable }),
    visibility,
  }
  if (visibility !== 'draft' || Object.keys(patch).length > 1) {
    const listing = await lockForEditor(tx, who, uid)
    await enforceListingCheck(tx, listing, () => changeListing(tx, { who, listing, patch, rules }))
  }
  return { game_uid: uid, vanity_name, visibility }
}

export const createListing = route({
  method: 'POST',
  url: GAMES,
  summary: 'Create a listing; a draft unless visibility is given',
  auth: developer('mcp:catalog.write'),
  limits: [perAccount(60, { seconds: HOUR })],
  body: NewListingBody,
  idempotent: true,
  status: 201,
  data: Type.Object({ game_uid: Uid, vanity_name: Type.String(), visibility: OneOf(visibilities) }),
  errors: [
    'DEVELOPER_MODE_REQUIRED',
    'FORBIDDEN',
    'CONFLICT',
    'INVALID_PARENT',
    'EMAIL_NOT_VERIFIED',
    'FORBIDDEN',
    'LISTING_CHECK_FAILED',
    'ADULT_CONTENT_OFF',
    'ASSET_TYPE_OFF',
    'PUBLISHING_NOT_ALLOWED',
  ],
  async handle({ core, who, body, request: { headers } }) {
    const scope = { kind: 'new listing', caller: who.user_uid }
    const keyed = keyedRequest(headers, scope, body)
    const { answer } = await transact(core.sql, (tx) =>
      answerOnce(core, tx, keyed, () => makeListing(core, tx, who, body)),
    )
    return answer
  },
})

const OwnListingData = Type.Object({
  uid: Uid,
  vanity_name: Type.String(),
  name: Type.String(),
  asset_type: OneOf(assetTypes),
  status: OneOf(statuses),
  visibility: OneOf(visibilities),
  role: OneOf(['owner', 'admin']),
  updated_at: Timestamp,
})
nameSchemas({ OwnListing: OwnListingData })

export const listListings = route({
  method: 'GET',
  url: GAMES,
  summary: 'List the listings you own or administer',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  query: Type.Object(longPageQuery),
  data: Type.Object({ items: Type.Array(OwnListingData), ...pageData }),
  async handle({ sql, who, query }) {
    const { page, page_size, ...window } = paging(query, MAX_LISTINGS)
    const { rows, total } = await listOwnListings(sql, who, window)
    const items = rows.map((row) => ({
      ...row,
      role: row.is_owner ? ('owner' as const) : ('admin' as const),
      updated_at: row.updated_at.toISOString(),
    }))
    return { items, total, page, page_size }
  },
})

/** What it costs in every currency is the answer of `/offers`, with its sales. */
const { offers, ...ownProperties } = PageData.properties

export const readMyListing = route({
  method: 'GET',
  url: `${GAMES}/:uid`,
  summary: 'Read one of your listings',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params: ListingParams,
  data: Type.Object({
    ...ownProperties,
    own_price_cents: Type.Integer(),
    publication: PublicationData,
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const row = (await readPage(sql, uid, who.user_uid)) ?? refuse('NOT_FOUND')
    const seen_adult = await seenAdultChildren(sql, who, [row])
    const page = showPage(core.addresses, row, seen_adult(uid))
    const publication = await readPublication(core, row)
    return { ...page, own_price_cents: row.own_price_cents, publication }
  },
})

export const changeListingRoute = route({
  method: 'PATCH',
  url: `${GAMES}/:uid`,
  summary: 'Change the text, price, visibility or other fields of a listing',
  auth: developer('mcp:catalog.write'),
  step_up: ({ body }) => body.price_cents !== undefined,
  params: ListingParams,
  body: Body({
    name: optional.text,
    tagline: optional.text,
    description: optional.text,
    vanity_name: optional.text,
    demo_url: optional.text,
    status: Type.Optional(OneOf(statuses)),
    asset_type: Type.Optional(OneOf(assetTypes)),
    visibility: Type.Optional(OneOf(visibilities)),
    adult: optional.flag,
    indexable: optional.flag,
    parent: optional.parent,
    price_cents: Type.Optional(Checked(price_cents)),
    license_kind: Type.Optional(Checked(license.license_kind)),
    translations: Type.Optional(Checked(translations)),
  }),
  data: PageData,
  described: {
    answers: {
      202: { description: 'Saved; the first release waits for a review', data: PageData },
    },
  },
  errors: [
    'NOT_FOUND',
    'CONFLICT',
    'INVALID_PARENT',
    'PRICE_OUT_OF_RANGE',
    'PRICE_FROM_EDITIONS',
    'PRICE_REQUIRES_SIGN_IN',
    'INVALID_LICENSE',
    'EMAIL_NOT_VERIFIED',
    'FORBIDDEN',
    'LISTING_CHECK_FAILED',
    'ADULT_CONTENT_OFF',
    'PAID_LISTINGS_OFF',
    'PAYMENT_ACCOUNT_REQUIRED',
    'ASSET_TYPE_OFF',
    'PUBLISHING_NOT_ALLOWED',
    'RELEASE_HELD',
    'UNAVAILABLE',
  ],
  async handle({ core, sql, who, params, body, reply }) {
    if (
      body.price_cents !== undefined &&
      who.kind === 'agent' &&
      !scopesCover(who.scopes, 'mcp:money')
    )
      refuse('SCOPE_MISSING', { scope: 'mcp:money' })
    // An empty change must not update the time of the last edit, which lists are sorted by.
    const is_empty = Object.values(body).every((value) => value === undefined)
    const { uid } = is_empty
      ? await findForEditor(sql, who, params.uid)
      : await editListing(core, who, params.uid, async (tx, listing) => {
          const rules = listingRules(core.settings.current)
          const { is_held } = await changeListing(tx, { who, listing, patch: body, rules })
          if (is_held) await announceRelease(core, tx, listing.uid)
          reply.code(is_held ? 202 : 200)
          return listing
        })
    const row = (await readPage(sql, uid, who.user_uid)) ?? refuse('NOT_FOUND')
    const seen_adult = await seenAdultChildren(sql, who, [row])
    return showPage(core.addresses, row, seen_adult(uid))
  },
})

/** A separate route, so that an agent can be allowed to change prices and nothing else. */
export const changePriceRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/price`,
  summary: 'Set the price of a listing',
  auth: developer('mcp:money'),
  step_up: true,
  params: ListingParams,
  body: Body({
    price_cents: Checked(price_cents),
  }),
  data: Type.Object({ uid: Uid, price_cents: Type.Integer() }),
  errors: [
    'NOT_FOUND',
    'PRICE_OUT_OF_RANGE',
    'PRICE_FROM_EDITIONS',
    'PRICE_REQUIRES_SIGN_IN',
    'LISTING_CHECK_FAILED',
    'PAID_LISTINGS_OFF',
    'PAYMENT_ACCOUNT_REQUIRED',
  ],
  async handle({ core, sql, who, params, body }) {
    const uid = await editListing(core, who, params.uid, async (tx, listing) => {
      const patch = { price_cents: body.price_cents ?? null }
      const rules = listingRules(core.settings.current)
      await changeListing(tx, { who, listing, patch, rules })
      return listing.uid
    })
    return { uid, price_cents: (await findForEditor(sql, who, uid)).price_cents }
  },
})

const CheckItem = Type.Object({
  id: Type.String(),
  field: Type.String(),
  message: Type.String(),
  details: Type.Optional(
    Type.Array(Type.String(), { description: 'The files that the message is about' }),
  ),
})
const items = Type.Array(CheckItem)

export const lintRoute = route({
  method: 'GET',
  url: `${GAMES}/:uid/lint`,
  summary: 'Run the listing check',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params: ListingParams,
  data: Type.Object({ ready: Type.Boolean(), errors: items, warnings: items, passes: items }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return checkListing(await readFacts(sql, uid))
  },
})

export const listingRoutes = [
  createListing,
  listListings,
  readMyListing,
  changeListingRoute,
  changePriceRoute,
  lintRoute,
]
