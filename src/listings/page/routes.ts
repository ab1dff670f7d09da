import { type Static, Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { optionalToken, viewer } from '../../accounts/sessions/schemes.ts'
import { longPageQuery, pageData, paging } from '../../core/http/paging.ts'
import { type Input, Nullable, nameSchemas, OneOf, route, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { overallShared } from '../../core/security/limits.ts'
import { assetTypes, licenseKinds } from '../fields/fields.ts'
import { findByDeveloper } from '../listing/queries.ts'
import { storeRules } from '../listing/store-rules.ts'
import { imageUrl } from '../media/url.ts'
import { currencyCodes } from '../prices/currencies.ts'
import { openPage, pageText } from './page.ts'
import { childKinds, readChildren, readPage } from './queries.ts'
import { LinkedData, PageData, RangeData, RelationsData } from './schema.ts'

const GAME = '/api/v1/public/games/:game_id'
const MAX_CHILDREN = 100
const GameParams = Type.Object({ game_id: Type.String() })

/** Sends the cached response, which is serialized once for each version of the page. */
async function sendPage(
  {
    core,
    who,
    reply,
  }: Pick<Input<Identity | null, unknown, unknown, unknown>, 'core' | 'who' | 'reply'>,
  uid_or_name: string,
) {
  const serialize = reply.getSerializationFunction('200')
  const text = await pageText(core, who, uid_or_name, (data: Static<typeof PageData>) =>
    serialize!({ success: true, data }),
  )
  return reply.type('application/json; charset=utf-8').send(text)
}

export const readPublicListing = route({
  method: 'GET',
  url: GAME,
  summary: 'Read a listing',
  auth: viewer,
  params: GameParams,
  data: PageData,
  errors: ['NOT_FOUND', 'UNAVAILABLE'],
  handle: (input) => sendPage(input, input.params.game_id) as never,
})

export const readPublicListingByDeveloper = route({
  method: 'GET',
  url: '/api/v1/public/user/:username/games/:vanity_name',
  summary: 'Read a listing by its developer and name',
  auth: viewer,
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  data: PageData,
  errors: ['NOT_FOUND', 'UNAVAILABLE'],
  async handle(input) {
    const uid = await findByDeveloper(input.sql, input.params.username, input.params.vanity_name)
    // An unknown name takes the same path as a hidden page, so that the response time does not
    // reveal whether the page exists.
    return sendPage(input, uid ?? uuidv7()) as never
  },
})

export const readRelations = route({
  method: 'GET',
  url: `${GAME}/relations`,
  summary: 'Read the dependencies, license and engine versions of a listing',
  auth: viewer,
  params: GameParams,
  data: Type.Object({
    relations: RelationsData,
    license_kind: Nullable(OneOf(licenseKinds)),
    engine_compat: Type.Array(RangeData),
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await openPage(core, who, params.game_id)
    const { uses, used_by, license_kind, engine_compat } =
      (await readPage(sql, uid, null)) ?? refuse('NOT_FOUND')
    return { relations: { uses, used_by }, license_kind, engine_compat }
  },
})

const ChildData = Type.Object({
  ...LinkedData.properties,
  tagline: Type.String(),
  developer: Type.Object({ uid: Uid, username: Type.String() }),
  price_cents: Type.Integer(),
  adult: Type.Boolean(),
  thumbnail: Type.String(),
  same_creator: Type.Boolean(),
})
nameSchemas({ ListingChild: ChildData })

export const readChildrenRoute = route({
  method: 'GET',
  url: `${GAME}/children`,
  summary: 'List the public mods and tools of a listing',
  auth: viewer,
  limits: overallShared(1200),
  params: GameParams,
  query: Type.Object({
    kind: Type.Optional(OneOf(['mods', 'tools', ''], { default: '' })),
    ...longPageQuery,
  }),
  data: Type.Object({ items: Type.Array(ChildData), ...pageData }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, query }) {
    const parent = await openPage(core, who, params.game_id)
    const types = query.kind ? childKinds[query.kind] : [...childKinds.mods, ...childKinds.tools]
    const { page, page_size, ...window } = paging(query, MAX_CHILDREN)
    const { rows, total } = await readChildren(sql, parent, { types, viewer: who }, window)
    const items = rows.map(({ owner_uid, username, thumbnail, ...row }) => ({
      ...row,
      developer: { uid: owner_uid, username },
      thumbnail: thumbnail ? imageUrl(core.addresses, thumbnail) : '',
    }))
    return { items, total, page, page_size }
  },
})

const storeRulesRoute = route({
  method: 'GET',
  url: '/api/v1/public/store-rules',
  summary: 'Read the price limits and fees of this store, and what it allows',
  auth: optionalToken,
  cache: 'public, max-age=300',
  data: Type.Object({
    currency: Type.Literal('USD'),
    currencies: Type.Array(OneOf(currencyCodes), {
      description: 'What listings can have prices in; those other than USD are optional',
    }),
    sale_percent_max: Type.Integer({ description: 'How much a sale takes off at most' }),
    sale_days_max: Type.Integer({ description: 'How long a sale runs at most' }),
    min_price_cents: Type.Integer(),
    max_price_cents: Type.Integer(),
    free_allowed: Type.Boolean(),
    sale_fee: Type.Object({ fixed_cents: Type.Integer(), percent: Type.Integer() }),
    editions_max: Type.Integer(),
    refund_window_hours: Type.Integer(),
    registration: OneOf(['open', 'invitation', 'closed'], { description: 'Who may sign up' }),
    publishing: OneOf(['open', 'approval', 'invited'], {
      description: 'Who may make listings public',
    }),
    review_first_release: Type.Boolean({
      description: 'Whether operators review the first release of a listing',
    }),
    paid_listings: Type.Boolean({ description: 'Whether listings may have a price' }),
    adult_content: Type.Boolean({ description: 'Whether listings may have adult content' }),
    asset_types: Type.Array(OneOf(assetTypes), {
      description: 'The types of listings that can be made',
    }),
  }),
  handle: ({ core }) => storeRules(core.settings.current),
})

export const listingPageRoutes = [
  readPublicListing,
  readPublicListingByDeveloper,
  readRelations,
  readChildrenRoute,
  storeRulesRoute,
]
