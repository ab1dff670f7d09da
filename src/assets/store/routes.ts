import { Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { version } from '../../core/http/openapi.ts'
import { type Route, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { readEditor } from '../../listings/fields/editor-versions.ts'
import { costs, licensesNamed } from '../packages/categories.ts'
import { type Asked, askerOf, browsing, keep } from '../packages/open-package.ts'
import { type Offer, offerAny, versionsFor } from '../packages/package.ts'
import type { PackageQuery } from '../packages/parameters.ts'
import { lastOf, parameter, wholeNumber } from '../packages/parameters.ts'
import { readPackageByName } from '../packages/queries.ts'
import { findPackages, popularTags } from '../packages/search.ts'
import {
  NOTES,
  ReleaseData,
  releasesOf,
  StoreAssetData,
  StoreDetailData,
  storeAssetOf,
  storeDetailOf,
  TagData,
  tagOf,
} from './rows.ts'

/** The protocol of editors from 4.7 on, which end every address with a slash; without it they are the same. */
const STORE = '/api/v1/public/asset-store'
const PAGE = 24
const LAST_PAGE = 1_000_000
const FEATURED = 20
const MOST_TAGS = 50
const Text = Type.String()
const open = { method: 'GET', auth: viewer, envelope: false, cors: true, limits: browsing } as const
const named = Type.Object({ publisher: Text, slug: Text })

const root = route({
  ...open,
  url: STORE,
  summary: 'The store protocol of newer editors is spoken here',
  data: Type.Object({ name: Text, version: Text }),
  handle({ who, reply }) {
    keep(reply, who)
    return { name: 'Slipway', version }
  },
})

const tags = route({
  ...open,
  url: `${STORE}/tags`,
  summary: 'Tags that many packages have',
  query: Type.Object({ featured_only: parameter() }),
  data: Type.Array(TagData),
  errors: ['UNAVAILABLE'],
  async handle({ core, who, query, reply }) {
    const found = await popularTags(
      core,
      lastOf(query).featured_only === 'true' ? FEATURED : MOST_TAGS,
    )
    keep(reply, who)
    return found.map(tagOf)
  },
})

const licenses = route({
  ...open,
  url: `${STORE}/licenses`,
  summary: 'Licences a package can have',
  data: Type.Array(Type.Object({ type: Text })),
  handle({ who, reply }) {
    keep(reply, who)
    return [...new Set(Object.values(costs))].map((type) => ({ type }))
  },
})

const sorts: Record<string, Pick<PackageQuery, 'sort' | 'reverse'>> = {
  relevance: { sort: 'relevance', reverse: false },
  updated_desc: { sort: 'updated', reverse: false },
  updated_asc: { sort: 'updated', reverse: true },
  reviews_desc: { sort: 'rating', reverse: false },
  reviews_asc: { sort: 'rating', reverse: true },
  created_desc: { sort: 'newest', reverse: false },
  created_asc: { sort: 'newest', reverse: true },
}

type StoreQuery = Partial<Record<'query' | 'type' | 'sort' | 'compatibility' | 'page', string>>

/** Nothing where a filter names what nothing has. */
function readStoreQuery(
  { query = '', type = '', sort = '', compatibility = '', page }: StoreQuery,
  licenses: string[],
): PackageQuery | undefined {
  const asked = compatibility.trim()
  const editor = asked === '' ? null : readEditor(asked)
  const names = licenses.flatMap((text) => text.split(',')).filter((text) => text.trim() !== '')
  const kinds = names.flatMap(licensesNamed)
  if (
    (asked !== '' && !editor) ||
    (names.length && !kinds.length) ||
    !['', '0', '1'].includes(type.trim())
  )
    return undefined
  return {
    text: query.slice(0, 100),
    categories:
      type.trim() === ''
        ? ['plugin', 'dev_asset', 'tool', 'template']
        : type.trim() === '1'
          ? ['template']
          : ['plugin', 'dev_asset', 'tool'],
    editor,
    maker: null,
    licenses: names.length ? kinds : null,
    price: null,
    ...(Object.hasOwn(sorts, sort) ? sorts[sort]! : sorts.relevance!),
    offset: ((wholeNumber(page, 1, LAST_PAGE) ?? 1) - 1) * PAGE,
    limit: PAGE,
  }
}

const searchStore = route({
  ...open,
  url: `${STORE}/search/query`,
  summary: 'Search packages, 24 a page',
  query: Type.Object({
    query: parameter(),
    require_release: parameter(),
    type: parameter(),
    sort: parameter(),
    compatibility: parameter(),
    licenses: parameter({ description: 'One, or several by commas or by repeating it' }),
    page: parameter(),
  }),
  data: Type.Object({
    count: Type.Integer(),
    hits: Type.Array(Type.Object({ asset: StoreAssetData })),
  }),
  errors: ['UNAVAILABLE'],
  async handle(input) {
    const { core, who } = input
    const { licenses, ...others } = input.query
    const asked = readStoreQuery(lastOf(others), [licenses ?? []].flat())
    const { offers, total } = asked
      ? await findPackages(core, who, asked, askerOf(input))
      : { offers: [], total: 0 }
    keep(input.reply, who)
    return {
      count: total,
      hits: offers.map((offer) => ({ asset: storeAssetOf(core.addresses, offer) })),
    }
  },
})

async function openByName(
  asked: Asked,
  name: { publisher: string; slug: string },
  changes = 0,
): Promise<Offer> {
  const row =
    (await readPackageByName(asked.core.sql, name, asked.who, { changes })) ?? refuse('NOT_FOUND')
  return offerAny(asked.core.addresses, row, askerOf(asked)) ?? refuse('NOT_FOUND')
}

const readStoreAsset = route({
  ...open,
  url: `${STORE}/assets/:publisher/:slug`,
  summary: 'One package',
  params: named,
  data: StoreDetailData,
  errors: ['NOT_FOUND'],
  async handle(input) {
    const offer = await openByName(input, input.params)
    keep(input.reply, input.who)
    return storeDetailOf(input.core.addresses, offer)
  },
})

const readReleases = route({
  ...open,
  url: `${STORE}/releases/:publisher/:slug`,
  summary: 'The versions of a package, newest first',
  params: named,
  query: Type.Object({ compatibility: parameter(), stable_only: parameter() }),
  data: Type.Array(ReleaseData),
  errors: ['NOT_FOUND'],
  async handle(input) {
    const offer = await openByName(input, input.params, NOTES)
    const asked = lastOf(input.query).compatibility?.trim() ?? ''
    const editor = readEditor(asked)
    const versions = asked === '' ? offer.versions : editor ? versionsFor(offer, editor) : []
    keep(input.reply, input.who)
    return releasesOf(input.core.addresses, { ...offer, versions }, askerOf(input))
  },
})

const withSlash = (one: Route): Route => ({ ...one, url: `${one.url}/`, hidden: true })
const routes = [root, tags, licenses, searchStore, readStoreAsset, readReleases]
export const storeRoutes: Route[] = [...routes, ...routes.map(withSlash)]
