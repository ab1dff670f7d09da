import { Type } from 'typebox'
import { viewer } from '../accounts/schemes.ts'
import { route } from '../core/route.ts'
import { categories, kinds } from './categories.ts'
import { browsing, downloading, givePackage, keep, openPackage } from './open.ts'
import { DetailData, detailOf, LIBRARY } from './rows.ts'

const Text = Type.String()
const asset = Type.Object({ asset_id: Text })
const open = { auth: viewer, envelope: false, cors: true } as const

export const configure = route({
  ...open,
  method: 'GET',
  url: `${LIBRARY}/configure`,
  summary: 'Categories of editor packages, and how to sign in',
  limits: browsing,
  query: Type.Object({ type: Type.Optional(Text) }),
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
    keep(reply, who)
    const { web_url, base_url, issuer } = core.addresses
    const kind = query.type === 'project' ? 'project' : 'addon'
    const shown = categories.filter((category) => category.kind === kind)
    const places = { keys_url: `${web_url}/account/keys`, authorization_server: issuer, resource: `${base_url}${LIBRARY}` }
    const bearer = { type: 'bearer', header: 'Authorization', scope: 'player:read' } as const
    const caller = who ? { signed_in: true, username: who.username } : { signed_in: false }
    return {
      categories: shown.map(({ id, name }) => ({ id, name, type: kinds[kind] })),
      login_url: `${web_url}/login`,
      auth: { ...bearer, ...places, ...caller },
    }
  },
})

export const readAsset = route({
  ...open,
  method: 'GET',
  url: `${LIBRARY}/asset/:asset_id`,
  summary: 'One editor package, in the version for the editor that asks',
  limits: browsing,
  params: asset,
  query: Type.Object({ godot_version: Type.Optional(Text) }),
  data: DetailData,
  errors: ['NOT_FOUND'],
  async handle(input) {
    const offer = await openPackage(input, input.params.asset_id, input.query.godot_version)
    keep(input.reply, input.who)
    return detailOf(input.core.addresses, offer)
  },
})

export const downloadAsset = route({
  ...open,
  method: 'GET',
  url: `${LIBRARY}/asset/:asset_id/download`,
  summary: 'Goes to the zip of an editor package',
  limits: downloading,
  params: asset,
  query: Type.Object({ file: Type.Optional(Text), godot_version: Type.Optional(Text) }),
  produces: 'application/zip',
  cache: 'private, no-store',
  errors: ['NOT_FOUND', 'SIGN_IN_TO_DOWNLOAD', 'BUY_TO_DOWNLOAD', 'EMAIL_NOT_VERIFIED', 'STILL_SCANNING', 'LINK_NOT_SIGNED'],
  async handle(input) {
    const { file, godot_version } = input.query
    const { url } = await givePackage(input, input.params.asset_id, file, godot_version)
    return input.reply.redirect(url, 302)
  },
})
