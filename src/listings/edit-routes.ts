import { Type } from 'typebox'
import { developer, website } from '../accounts/schemes.ts'
import { Body, route } from '../core/route.ts'
import { editListing, findForEditor } from './edit.ts'
import { readEditions } from './editions-queries.ts'
import { checkModSettings } from './mods.ts'
import { readPage } from './page-queries.ts'
import { checkAnonymous } from './prices.ts'
import {
  findListings,
  readStoreLinks,
  replaceDependencies,
  replaceRanges,
  replaceSimilar,
  replaceStoreLinks,
  updateListing,
} from './queries.ts'
import { checkDependencies, checkSimilar, readDependencies, readSimilar } from './relations.ts'
import { GAMES, ListingParams } from './routes.ts'
import { LinkedData, PageData, RangeData, RelationsData, StoreLinkData } from './schema.ts'
import { checkStoreLinks, storeLink, stores } from './store-links.ts'
import { checkTaxonomy } from './taxonomy.ts'
import { checkCompat } from './versions.ts'

/** A body whose fields the rule checks, so that the rule's own code answers for them. */
const Checked = Type.Record(Type.String(), Type.Unknown())
const auth = developer('mcp:catalog.write')
const common = ['NOT_FOUND', 'CHECK_FAILED'] as const
const {
  genres,
  tags,
  tone,
  inputs,
  content_warnings,
  engines,
  session_bucket,
  net,
  players_min,
  players_max,
  authorship,
  authorship_credit,
  ai_uses,
} = PageData.properties
const TaxonomyData = Type.Object({
  genres,
  tags,
  tone,
  inputs,
  content_warnings,
  engines,
  session_bucket,
  net,
  players_min,
  players_max,
  authorship,
  authorship_credit,
  ai_uses,
})

export const taxonomyRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/taxonomy`,
  summary: 'Replace some or all of the fields a listing is found by',
  auth,
  params: ListingParams,
  body: Checked,
  data: TaxonomyData,
  errors: [...common, 'INVALID_TAXONOMY'],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const change = checkTaxonomy(body, listing)
      await updateListing(tx, listing.uid, change)
      return { ...listing, ...change }
    }),
})

export const modSettingsRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/mod-settings`,
  summary: 'Say how a mod or plugin is installed',
  auth,
  params: ListingParams,
  body: Checked,
  data: Type.Object({ install_path: Type.String(), loader: Type.String(), instructions: Type.String() }),
  errors: [...common, 'INVALID_MOD_SETTINGS'],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const { install_path, loader, instructions } = checkModSettings(listing.asset_type, body)
      await updateListing(tx, listing.uid, { mod_install_path: install_path, mod_loader: loader, mod_instructions: instructions })
      return { install_path, loader, instructions }
    }),
})

export const similarRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/similar`,
  summary: 'Replace the similar titles, most similar first',
  auth,
  params: ListingParams,
  body: Body({ games: Type.Unknown() }),
  data: Type.Object({ similar: Type.Array(LinkedData) }),
  errors: [...common, 'INVALID_SIMILAR'],
  async handle({ core, who, params, body }) {
    const uid = await editListing(core, who, params.uid, async (tx, listing) => {
      const found = await findListings(tx, readSimilar(body.games), who.user_uid)
      await replaceSimilar(tx, listing.uid, checkSimilar(listing, found))
      return listing.uid
    })
    return { similar: (await readPage(core.sql, uid, true))?.similar ?? [] }
  },
})

export const dependenciesRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/dependencies`,
  summary: 'Replace what a listing uses, supports or was made with',
  auth,
  params: ListingParams,
  body: Body({ dependencies: Type.Unknown() }),
  data: Type.Object({ relations: RelationsData }),
  errors: [...common, 'INVALID_DEPENDENCY'],
  async handle({ core, who, params, body }) {
    const uid = await editListing(core, who, params.uid, async (tx, listing) => {
      const asked = readDependencies(body.dependencies)
      const found = await findListings(
        tx,
        asked.map(({ game }) => game),
        who.user_uid,
      )
      await replaceDependencies(
        tx,
        listing.uid,
        checkDependencies(
          listing,
          asked.map(({ kind }, i) => ({ kind, found: found[i] ?? null })),
        ),
      )
      return listing.uid
    })
    const { uses = [], used_by = [] } = (await readPage(core.sql, uid, true)) ?? {}
    return { relations: { uses, used_by } }
  },
})

export const engineCompatRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/engine-compat`,
  summary: 'Replace the engine versions a listing works with',
  auth,
  params: ListingParams,
  body: Body({ ranges: Type.Unknown() }),
  data: Type.Object({ engine_compat: Type.Array(RangeData) }),
  errors: [...common, 'INVALID_COMPAT'],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const ranges = checkCompat(body.ranges)
      await replaceRanges(tx, listing.uid, ranges)
      return { engine_compat: ranges }
    }),
})

const StoreLinksData = Type.Object({
  store_links: Type.Array(StoreLinkData),
  stores: Type.Array(Type.Object({ platform: Type.String(), label: Type.String(), hosts: Type.Array(Type.String()) })),
})

export const readStoreLinksRoute = route({
  method: 'GET',
  url: `${GAMES}/:uid/store-links`,
  summary: 'The links to other stores, and every store with the hosts it may be linked by',
  auth: developer('mcp:read'),
  params: ListingParams,
  data: StoreLinksData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return { store_links: (await readStoreLinks(sql, uid)).map(({ platform, url }) => storeLink(platform, url)), stores }
  },
})

export const storeLinksRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/store-links`,
  summary: 'Replace all links to other stores; an empty list clears them',
  auth,
  params: ListingParams,
  body: Body({ store_links: Type.Unknown() }),
  data: StoreLinksData,
  errors: [...common, 'INVALID_STORE_LINK'],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const store_links = checkStoreLinks(body.store_links)
      await replaceStoreLinks(tx, listing.uid, store_links)
      return { store_links, stores }
    }),
})

export const anonymousDownloadsRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/anonymous-downloads`,
  summary: 'Turn downloads without an account on or off',
  auth: website,
  params: ListingParams,
  body: Body({ enabled: Type.Boolean(), confirm_no_license: Type.Optional(Type.Boolean()) }),
  data: Type.Object({ anonymous_downloads: Type.Boolean() }),
  errors: [...common, 'ANONYMOUS_UNCONFIRMED', 'ANONYMOUS_NEEDS_FREE'],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const anonymous_downloads = checkAnonymous(body, { price_cents: listing.price_cents, editions: await readEditions(tx, listing.uid) })
      await updateListing(tx, listing.uid, { anonymous_downloads })
      return { anonymous_downloads }
    }),
})
