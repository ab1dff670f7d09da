import { Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { type Route, route, TextOf } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { version } from '../../core/runtime/version.ts'
import { readEditor } from '../../listings/fields/editor-versions.ts'
import { findLicenses, licenseNames } from '../packages/categories.ts'
import {
  browseLimits,
  type PackageRequest,
  readClient,
  setCacheControl,
} from '../packages/open-package.ts'
import { type PackageView, versionsFor, viewPackageOrNewest } from '../packages/package.ts'
import type { PackageQuery } from '../packages/parameters.ts'
import { clampInteger, lastValues, parameter } from '../packages/parameters.ts'
import { readPackageByName } from '../packages/queries.ts'
import { findPackages, popularTags } from '../packages/search.ts'
import { STORE } from '../protocols.ts'
import {
  MAX_NOTES,
  ReleaseData,
  releaseData,
  StoreAssetData,
  StoreDetailData,
  storeAssetData,
  storeDetailData,
  TagData,
  tagData,
} from './rows.ts'

const PAGE = 24
const LAST_PAGE = 1_000_000
const FEATURED = 20
const MAX_TAGS = 50
const Text = Type.String()
const open = {
  method: 'GET',
  auth: viewer,
  envelope: false,
  cors: true,
  limits: browseLimits,
} as const
const named = Type.Object({ publisher: Text, slug: Text })

const root = route({
  ...open,
  url: STORE,
  summary: 'Root of the asset store protocol of newer editors',
  data: Type.Object({ name: Text, version: Text }),
  handle({ core, who, reply }) {
    setCacheControl(reply, who)
    return { name: core.settings.current.store_name, version }
  },
})

const tags = route({
  ...open,
  url: `${STORE}/tags`,
  summary: 'List the most common tags of packages',
  query: Type.Object({ featured_only: parameter() }),
  data: Type.Array(TagData),
  errors: ['UNAVAILABLE'],
  async handle({ core, who, query, reply }) {
    const featured_only = lastValues(query).featured_only === 'true'
    const tags = await popularTags(core, featured_only ? FEATURED : MAX_TAGS)
    setCacheControl(reply, who)
    return tags.map(tagData)
  },
})

const licenses = route({
  ...open,
  url: `${STORE}/licenses`,
  summary: 'List the licenses of packages',
  data: Type.Array(Type.Object({ type: Text })),
  handle({ who, reply }) {
    setCacheControl(reply, who)
    return [...new Set(Object.values(licenseNames))].map((type) => ({ type }))
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

/** Undefined if a filter matches nothing. */
function readStoreQuery(
  { query = '', type = '', sort = '', compatibility = '', page }: StoreQuery,
  licenses: string[],
): PackageQuery | undefined {
  const compatibility_version = compatibility.trim()
  const editor = compatibility_version === '' ? null : readEditor(compatibility_version)
  const names = licenses.flatMap((text) => text.split(',')).filter((text) => text.trim() !== '')
  const packageKinds = names.flatMap(findLicenses)
  if (
    (compatibility_version !== '' && !editor) ||
    (names.length && !packageKinds.length) ||
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
    author: null,
    licenses: names.length ? packageKinds : null,
    price: null,
    ...(Object.hasOwn(sorts, sort) ? sorts[sort]! : sorts.relevance!),
    offset: ((clampInteger(page, 1, LAST_PAGE) ?? 1) - 1) * PAGE,
    limit: PAGE,
  }
}

const searchStore = route({
  ...open,
  url: `${STORE}/search/query`,
  summary: 'Search packages, 24 per page',
  query: Type.Object({
    query: parameter(),
    require_release: parameter(),
    type: parameter(),
    sort: parameter(),
    compatibility: parameter(),
    licenses: parameter({ description: 'One, or several by commas or by repeating it' }),
    page: parameter(),
  }),
  described: { query: { type: TextOf(['0', '1']), sort: TextOf(Object.keys(sorts)) } },
  data: Type.Object({
    count: Type.Integer(),
    hits: Type.Array(Type.Object({ asset: StoreAssetData })),
  }),
  errors: ['UNAVAILABLE'],
  async handle(input) {
    const { core, who } = input
    const { licenses, ...others } = input.query
    const search = readStoreQuery(lastValues(others), [licenses ?? []].flat())
    const { offers, total } = search
      ? await findPackages(core, who, search, readClient(input))
      : { offers: [], total: 0 }
    setCacheControl(input.reply, who)
    return {
      count: total,
      hits: offers.map((offer) => ({ asset: storeAssetData(core.addresses, offer) })),
    }
  },
})

async function openByName(
  input: PackageRequest,
  name: { publisher: string; slug: string },
  max_notes = 0,
): Promise<PackageView> {
  const row =
    (await readPackageByName(input.core.sql, name, input.who, { max_notes })) ?? refuse('NOT_FOUND')
  return viewPackageOrNewest(input.core.addresses, row, readClient(input)) ?? refuse('NOT_FOUND')
}

const readStoreAsset = route({
  ...open,
  url: `${STORE}/assets/:publisher/:slug`,
  summary: 'Read a package',
  params: named,
  data: StoreDetailData,
  errors: ['NOT_FOUND'],
  async handle(input) {
    const offer = await openByName(input, input.params)
    setCacheControl(input.reply, input.who)
    return storeDetailData(input.core.addresses, offer)
  },
})

const readReleases = route({
  ...open,
  url: `${STORE}/releases/:publisher/:slug`,
  summary: 'List the versions of a package, newest first',
  params: named,
  query: Type.Object({ compatibility: parameter(), stable_only: parameter() }),
  data: Type.Array(ReleaseData),
  errors: ['NOT_FOUND'],
  async handle(input) {
    const offer = await openByName(input, input.params, MAX_NOTES)
    const compatibility_version = lastValues(input.query).compatibility?.trim() ?? ''
    const editor = readEditor(compatibility_version)
    const versions =
      compatibility_version === '' ? offer.versions : editor ? versionsFor(offer, editor) : []
    setCacheControl(input.reply, input.who)
    return releaseData(input.core.addresses, { ...offer, versions }, readClient(input))
  },
})

const withSlash = (route: Route): Route => ({ ...route, url: `${route.url}/`, hidden: true })
const routes = [root, tags, licenses, searchStore, readStoreAsset, readReleases]
export const storeRoutes: Route[] = [...routes, ...routes.map(withSlash)]
