import { type Static, type TSchema, Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import type { Tx } from '../../core/database/sql.ts'
import { Body, Checked, CheckedBody, route } from '../../core/http/route.ts'
import type { ErrorName } from '../../core/runtime/errors.ts'
import { checkAnonymous } from '../editions/prices.ts'
import { readEditions } from '../editions/queries.ts'
import { taxonomyFields } from '../fields/fields.ts'
import { answerSchemas } from '../fields/schema.ts'
import { checkStoreLinks, keptStoreLink, stores } from '../fields/store-links.ts'
import { readPage } from '../page/queries.ts'
import { LinkedData, RangeData, RelationsData, StoreLinkData } from '../page/schema.ts'
import {
  findListings,
  readDependencyLinks,
  replaceDependencies,
} from '../relations/link-queries.ts'
import {
  checkDependencies,
  checkDependencyCount,
  readDependencies,
} from '../relations/relations.ts'
import { editListing, findForEditor } from './edit.ts'
import {
  dependencies,
  dependency_kind,
  dependencyTarget,
  modSettings,
  ranges,
  similar,
  store_links,
  taxonomy,
} from './input-schemas.ts'
import {
  changeDependencies,
  changeModSettings,
  changeRanges,
  changeSimilar,
  changeTaxonomy,
} from './part-changes.ts'
import { type ListingFor, updateListing } from './queries.ts'
import { GAMES, ListingParams } from './routes.ts'
import { readStoreLinks, replaceStoreLinks } from './store-link-queries.ts'

type Parts<B extends TSchema, D extends TSchema> = {
  method?: 'PUT' | 'PATCH'
  summary: string
  auth?: typeof website
  body: B
  data: D
  errors: ErrorName[]
  /** Whether a rule of the listing check depends on it; true by default. */
  is_checked?: boolean
  change: (tx: Tx, listing: ListingFor, body: Static<B>, who: Identity) => Promise<Static<D>>
}

/**
 * A route that replaces (PUT) or changes (PATCH) one part of a listing. The change runs while the
 * listing is locked, and must not add errors of the listing check to a public page.
 */
function editRoute<B extends TSchema, D extends TSchema>(
  part: string,
  { change, errors, is_checked = true, ...parts }: Parts<B, D>,
) {
  const { method = 'PUT', auth = developer('mcp:catalog.write') } = parts
  return route({
    ...parts,
    method,
    url: `${GAMES}/:uid/${part}`,
    auth,
    params: ListingParams,
    errors: ['NOT_FOUND', ...(is_checked ? (['LISTING_CHECK_FAILED'] as const) : []), ...errors],
    handle: ({ core, who, params, body }) =>
      editListing(core, who, params.uid, (tx, listing) => change(tx, listing, body, who)),
  })
}

export const taxonomyRoute = editRoute('taxonomy', {
  summary: 'Replace some or all of the fields that a listing is found by',
  body: CheckedBody(taxonomy),
  data: Type.Object(answerSchemas(taxonomyFields)),
  errors: ['INVALID_TAXONOMY', 'FORBIDDEN'],
  change: changeTaxonomy,
})

export const modSettingsRoute = editRoute('mod-settings', {
  summary: 'Set how a mod or plugin is installed',
  body: CheckedBody(modSettings),
  data: Type.Object({
    install_path: Type.String(),
    loader: Type.String(),
    instructions: Type.String(),
  }),
  errors: ['INVALID_MOD_SETTINGS'],
  change: changeModSettings,
})

export const similarRoute = editRoute('similar', {
  summary: 'Replace the similar titles, most similar first',
  body: Body({ games: Checked(similar) }),
  data: Type.Object({ similar: Type.Array(LinkedData) }),
  errors: ['INVALID_SIMILAR'],
  async change(tx, listing, body, who) {
    await changeSimilar(tx, listing, body.games, who)
    return { similar: (await readPage(tx, listing.uid, who.user_uid))?.similar ?? [] }
  },
})

export const dependenciesRoute = editRoute('dependencies', {
  summary: 'Replace what a listing uses, supports or was made with',
  body: Body({ dependencies: Checked(dependencies) }),
  data: Type.Object({ relations: RelationsData }),
  errors: ['INVALID_DEPENDENCY'],
  async change(tx, listing, body, who) {
    await changeDependencies(tx, listing, body.dependencies, who)
    return relationsOf(tx, listing, who)
  },
})

async function relationsOf(tx: Tx, { uid }: ListingFor, who: Identity) {
  const { uses = [], used_by = [] } = (await readPage(tx, uid, who.user_uid)) ?? {}
  return { relations: { uses, used_by } }
}

/** Changes one link. The other links remain, even those to listings that are no longer public. */
export const declareDependencyRoute = editRoute('dependencies', {
  method: 'PATCH',
  summary: 'Add or remove one dependency of a listing; the others stay',
  body: Body({
    game: Checked(dependencyTarget),
    kind: Checked(dependency_kind),
    remove: Type.Optional(Type.Boolean()),
  }),
  data: Type.Object({ relations: RelationsData }),
  errors: ['INVALID_DEPENDENCY'],
  async change(tx, listing, { remove = false, ...body }, who) {
    const [{ game, kind }] = readDependencies([body]) as [
      ReturnType<typeof readDependencies>[number],
    ]
    const [target = null] = await findListings(tx, [game], who.user_uid)
    const others = (await readDependencyLinks(tx, listing.uid)).filter(
      (link) => link.kind !== kind || link.uid !== target?.uid,
    )
    const added = remove ? [] : checkDependencies(listing, [{ kind, target, ref: game }])
    await replaceDependencies(tx, listing.uid, checkDependencyCount([...others, ...added]))
    return relationsOf(tx, listing, who)
  },
})

export const engineCompatRoute = editRoute('engine-compat', {
  summary: 'Replace the engine versions that a listing works with',
  body: Body({ ranges: Checked(ranges) }),
  data: Type.Object({ engine_compat: Type.Array(RangeData) }),
  errors: ['INVALID_COMPAT'],
  change: async (tx, listing, body) => ({
    engine_compat: await changeRanges(tx, listing, body.ranges),
  }),
})

const StoreLinksData = Type.Object({
  store_links: Type.Array(StoreLinkData),
  stores: Type.Array(
    Type.Object({
      platform: Type.String(),
      label: Type.String(),
      hosts: Type.Array(Type.String()),
    }),
  ),
})

export const storeLinksRoute = editRoute('store-links', {
  summary: 'Replace all links to other stores; an empty list clears them',
  body: Body({ store_links: Checked(store_links) }),
  data: StoreLinksData,
  errors: ['INVALID_STORE_LINK'],
  async change(tx, listing, body) {
    const links = checkStoreLinks(body.store_links)
    await replaceStoreLinks(tx, listing.uid, links)
    return { store_links: links, stores }
  },
})

export const readStoreLinksRoute = route({
  method: 'GET',
  url: `${GAMES}/:uid/store-links`,
  summary: 'List the links to other stores, and the stores with their allowed hosts',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params: ListingParams,
  data: StoreLinksData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return { store_links: (await readStoreLinks(sql, uid)).map(keptStoreLink), stores }
  },
})

export const anonymousDownloadsRoute = editRoute('anonymous-downloads', {
  summary: 'Turn downloads without an account on or off',
  auth: website,
  body: Body({ enabled: Type.Boolean(), confirm_no_license: Type.Optional(Type.Boolean()) }),
  data: Type.Object({ anonymous_downloads: Type.Boolean() }),
  errors: ['ANONYMOUS_DOWNLOADS_NOT_CONFIRMED', 'ANONYMOUS_DOWNLOADS_REQUIRE_FREE'],
  is_checked: false,
  async change(tx, listing, body) {
    const editions = await readEditions(tx, listing.uid)
    const anonymous_downloads = checkAnonymous(body, { price_cents: listing.price_cents, editions })
    await updateListing(tx, listing.uid, { anonymous_downloads })
    return { anonymous_downloads }
  },
})

export const listingEditRoutes = [
  taxonomyRoute,
  modSettingsRoute,
  similarRoute,
  dependenciesRoute,
  declareDependencyRoute,
  engineCompatRoute,
  readStoreLinksRoute,
  storeLinksRoute,
  anonymousDownloadsRoute,
]
