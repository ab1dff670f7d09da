import { Type } from 'typebox'
import { tokenResource } from '../../accounts/keys/token-resource.ts'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { route, TextOf } from '../../core/http/route.ts'
import { categories, packageKinds } from '../packages/categories.ts'
import {
  authorizePackageDownload,
  browseLimits,
  downloadLimits,
  openPackage,
  readClient,
  setCacheControl,
} from '../packages/open-package.ts'
import {
  type ListQuery,
  lastValues,
  parameter,
  readPaging,
  readQuery,
  sorts,
} from '../packages/parameters.ts'
import { findPackages, MAX_RESULTS } from '../packages/search.ts'
import { LIBRARY } from '../protocols.ts'
import { DetailData, detailData, RowData, rowData } from './rows.ts'

const Text = Type.String()
const asset = Type.Object({ asset_id: Text })
const open = { auth: viewer, envelope: false, cors: true } as const

export const configure = route({
  ...open,
  method: 'GET',
  url: `${LIBRARY}/configure`,
  summary: 'List the categories of editor packages, and how to sign in',
  limits: browseLimits,
  query: Type.Object({ type: parameter() }),
  described: { query: { type: TextOf(['addon', 'project']) } },
  data: Type.Object({
    categories: Type.Array(Type.Object({ id: Text, name: Text, type: Text })),
    login_url: Text,
    auth: Type.Object({
      type: Type.Literal('bearer'),
      header: Type.Literal('Authorization'),
      scope: Type.Literal('player:read'),
      keys_url: Text,
      authorization_server: Text,
      resource: Text,
      signed_in: Type.Boolean(),
      username: Type.Optional(Text),
    }),
  }),
  handle({ core, who, query, reply }) {
    setCacheControl(reply, who)
    const { web_url, mcp_auth_url } = core.addresses
    const kind = lastValues(query).type === 'project' ? 'project' : 'addon'
    const offered = categories.filter((category) => category.kind === kind)
    const urls = {
      keys_url: `${web_url}/account/keys`,
      authorization_server: mcp_auth_url,
      resource: tokenResource(core.addresses, 'player'),
    }
    const bearer = { type: 'bearer', header: 'Authorization', scope: 'player:read' } as const
    const caller = who ? { signed_in: true, username: who.username } : { signed_in: false }
    return {
      categories: offered.map(({ id, name }) => ({ id, name, type: packageKinds[kind] })),
      login_url: `${web_url}/login`,
      auth: { ...bearer, ...urls, ...caller },
    }
  },
})

const listParameters = {
  type: 'project for templates, any for everything, else add-ons',
  category: 'The number of a category; 0 or empty for all',
  support: 'official, community and testing, joined by +; everything here is community',
  filter: 'Words, the last also as the beginning of one; #word for a tag',
  user: 'The username of the author',
  cost: 'The name of a license',
  price: 'free or paid',
  godot_version: 'major.minor of the editor: everything for that major up to that minor',
  max_results: '1 to 500; 40 by default',
  page: 'From 0',
  offset: 'Instead of page',
  sort: 'updated (newest first), name, cost, rating (best first)',
  reverse: 'true reverses the order',
} as const satisfies Record<keyof ListQuery, string>
const parameters = Object.fromEntries(
  Object.entries(listParameters).map(([name, description]) => [name, parameter({ description })]),
) as Record<keyof ListQuery, ReturnType<typeof parameter>>

const listAssets = route({
  ...open,
  method: 'GET',
  url: `${LIBRARY}/asset`,
  summary: 'Search editor packages',
  limits: browseLimits,
  query: Type.Object(parameters),
  described: {
    query: {
      type: TextOf(['addon', 'project', 'any'], listParameters.type),
      price: TextOf(['free', 'paid'], listParameters.price),
      sort: TextOf(sorts, listParameters.sort),
    },
  },
  data: Type.Object({
    result: Type.Array(RowData),
    page: Type.Integer(),
    pages: Type.Integer(),
    page_length: Type.Integer(),
    total: Type.Integer(),
    total_items: Type.Integer(),
  }),
  errors: ['UNAVAILABLE'],
  async handle(input) {
    const { core, who } = input
    const query: ListQuery = lastValues(input.query)
    const { limit, offset } = readPaging(query)
    const search = readQuery(query)
    const { offers, total } = search
      ? await findPackages(core, who, search, readClient(input))
      : { offers: [], total: 0 }
    setCacheControl(input.reply, who)
    const pages = Math.ceil(Math.min(total, MAX_RESULTS) / limit)
    const result = offers.map((offer) => rowData(core.addresses, offer))
    return {
      result,
      page: Math.floor(offset / limit),
      pages,
      page_length: limit,
      total,
      total_items: total,
    }
  },
})

const readAsset = route({
  ...open,
  method: 'GET',
  url: `${LIBRARY}/asset/:asset_id`,
  summary: 'Read an editor package in the version for the calling editor',
  limits: browseLimits,
  params: asset,
  query: Type.Object({ godot_version: parameter() }),
  data: DetailData,
  errors: ['NOT_FOUND'],
  async handle(input) {
    const offer = await openPackage(
      input,
      input.params.asset_id,
      lastValues(input.query).godot_version,
    )
    setCacheControl(input.reply, input.who)
    return detailData(input.core.addresses, offer)
  },
})

const downloadAsset = route({
  ...open,
  method: 'GET',
  url: `${LIBRARY}/asset/:asset_id/download`,
  summary: 'Redirect to the zip of an editor package',
  limits: downloadLimits,
  params: asset,
  query: Type.Object({ file: parameter(), godot_version: parameter() }),
  redirect: 302,
  cache: 'private, no-store',
  errors: [
    'NOT_FOUND',
    'DOWNLOAD_REQUIRES_SIGN_IN',
    'DOWNLOAD_REQUIRES_PURCHASE',
    'EMAIL_NOT_VERIFIED',
    'STILL_SCANNING',
    'BUILD_WITHDRAWN',
    'LINK_SIGNING_FAILED',
  ],
  async handle(input) {
    const { file, godot_version } = lastValues(input.query)
    const { url } = await authorizePackageDownload(
      input,
      input.params.asset_id,
      file,
      godot_version,
    )
    return input.reply.redirect(url, 302)
  },
})

export const assetLibraryRoutes = [configure, listAssets, readAsset, downloadAsset]
