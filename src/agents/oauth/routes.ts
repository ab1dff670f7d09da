import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { clearIdentityCache } from '../../accounts/sessions/identity.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import { readBody } from '../../core/http/read-body.ts'
import { anyone, Nullable, type Route, route, Timestamp, Uid } from '../../core/http/route.ts'
import { parseJson } from '../../core/http/text-input.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { HOUR, perIp } from '../../core/security/limits.ts'
import {
  authorizationServer,
  openidConfiguration,
  protectedResource,
  serverCard,
} from '../mcp/metadata.ts'
import { developerServer, playerServer, resourceOf, toolServers } from '../mcp/tool-servers.ts'
import { clientMetadata } from './clients.ts'
import { answerByLibrary, paths } from './provider.ts'
import { endGrant, findGrantHash, type GrantRow, listGrants } from './queries.ts'

const MOST_BYTES = 64 * 1024
const Text = Type.String()
const asking = {
  role: 'web',
  auth: anyone,
  envelope: false,
  cache: 'no-store',
  produces: 'application/json',
} as const

/** Whoever sends more still comes to read why it is refused. */
const bodyOf = (raw: IncomingMessage) =>
  readBody(raw.iterator({ destroyOnReturn: false }), MOST_BYTES)

/** Without a server or scopes named, a client means what most do; scopes of elsewhere are not ours to give. */
function understood(addresses: Addresses, url: string): string {
  const { pathname, searchParams: query } = new URL(url, addresses.mcp_auth_url)
  const asked = (query.get('scope') ?? '').split(' ').filter(Boolean)
  const wants_player =
    asked.some((scope) => scope.startsWith('player:')) &&
    !asked.some((scope) => scope.startsWith('mcp:'))
  if (!query.has('resource'))
    query.set('resource', resourceOf(addresses, wants_player ? playerServer : developerServer))
  const server = toolServers.find((one) => resourceOf(addresses, one) === query.get('resource'))
  const known = asked.filter((scope) => server?.scopes.includes(scope))
  if (server) query.set('scope', (known.length ? known : server.default_scopes).join(' '))
  return `${pathname}?${query}`
}

export const authorizeRoute = route({
  ...asking,
  method: 'GET',
  url: paths.authorization,
  summary: 'Where a client sends a person to be let in',
  limits: [perIp(120, { bucket: 'oauth authorize' })],
  handle: ({ core, request, reply }) =>
    answerByLibrary(core, request, reply, understood(core.addresses, request.url)),
})

export const resumeRoute = route({
  ...asking,
  method: 'GET',
  url: `${paths.authorization}/:uid`,
  summary: 'Back to the client after the consent',
  limits: [perIp(120, { bucket: 'oauth authorize' })],
  params: Type.Object({ uid: Text }),
  handle: ({ core, request, reply }) => answerByLibrary(core, request, reply, request.url),
})

export const tokenRoute = route({
  ...asking,
  method: 'POST',
  url: paths.token,
  summary: 'Codes and refresh tokens for access tokens',
  limits: [perIp(600, { bucket: 'oauth token' })],
  cors: true,
  raw_body: true,
  handle: async ({ core, request, reply }) =>
    answerByLibrary(core, request, reply, paths.token, await bodyOf(request.raw)),
})

export const revocationRoute = route({
  ...asking,
  method: 'POST',
  url: paths.revocation,
  summary: 'End a token and everything that came from the same consent',
  limits: [perIp(600, { bucket: 'oauth token' })],
  cors: true,
  raw_body: true,
  handle: async ({ core, request, reply }) =>
    answerByLibrary(core, request, reply, paths.revocation, await bodyOf(request.raw)),
})

export const registrationRoute = route({
  ...asking,
  method: 'POST',
  url: paths.registration,
  summary: 'Clients introduce themselves',
  limits: [perIp(60, { seconds: HOUR })],
  cors: true,
  raw_body: true,
  async handle({ core, request, reply }) {
    const { client_id: _, ...metadata } = clientMetadata(
      parseJson(await bodyOf(request.raw), JSON.parse),
    )
    return answerByLibrary(
      core,
      request,
      reply,
      paths.registration,
      Buffer.from(JSON.stringify(metadata)),
    )
  },
})

const jwksRoute = route({
  ...asking,
  method: 'GET',
  url: paths.jwks,
  summary: 'The public key of the authorization server',
  limits: [perIp(120, { bucket: 'discovery' })],
  cors: true,
  handle: ({ core, request, reply }) => answerByLibrary(core, request, reply, paths.jwks),
})

const document = (url: string, summary: string, make: (addresses: Addresses) => object): Route =>
  route({
    method: 'GET',
    url,
    summary,
    role: 'every',
    auth: anyone,
    limits: [perIp(600, { bucket: 'agent documents' })],
    cors: true,
    cache: 'public, max-age=300',
    envelope: false,
    produces: 'application/json',
    handle: ({ core, reply }) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(make(core.addresses))),
  })

const wellKnown = '/.well-known'
const documents = [
  document(
    `${wellKnown}/oauth-authorization-server`,
    'How to get a token (RFC 8414)',
    authorizationServer,
  ),
  document(
    `${wellKnown}/openid-configuration`,
    'The same, for readers of OpenID’s document',
    openidConfiguration,
  ),
  ...toolServers.flatMap((server) => [
    document(
      `${wellKnown}/oauth-authorization-server${server.path}`,
      `How to get a token for ${server.path}`,
      (addresses) => authorizationServer(addresses, server),
    ),
    document(
      `${wellKnown}/oauth-protected-resource${server.path}`,
      `Whose tokens ${server.path} takes (RFC 9728)`,
      (addresses) => protectedResource(addresses, server),
    ),
  ]),
  document(
    `${wellKnown}/mcp/server-card.json`,
    'What the server for developers offers',
    (addresses) => serverCard(addresses, developerServer),
  ),
  document(`${wellKnown}/mcp.json`, 'The same, by another name', (addresses) =>
    serverCard(addresses, developerServer),
  ),
  document(
    `${wellKnown}/mcp/player-server-card.json`,
    'What the server for players offers',
    (addresses) => serverCard(addresses, playerServer),
  ),
]

const GrantData = Type.Object({
  uid: Uid,
  client_id: Text,
  client_name: Text,
  server: Text,
  scopes: Type.Array(Text),
  game_uid: Nullable(Uid),
  created_at: Timestamp,
  expires_at: Timestamp,
})

function shown({ payload, client_name, created_at, expires_at, ...row }: GrantRow) {
  const [[resource, scope] = ['', '']] = Object.entries(payload.resources ?? {})
  const times = { created_at: created_at.toISOString(), expires_at: expires_at.toISOString() }
  return {
    ...row,
    ...times,
    client_name: client_name ?? '',
    server: URL.parse(resource)?.pathname ?? '',
    scopes: scope.split(' ').filter(Boolean),
  }
}

export const listGrantsRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/agent-access',
  summary: 'The apps you let in, newest first',
  auth: website,
  data: Type.Object({ grants: Type.Array(GrantData) }),
  handle: async ({ sql, who }) => ({ grants: (await listGrants(sql, who.user_uid)).map(shown) }),
})

export const endGrantRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/account/agent-access/:uid',
  summary: 'Take an app’s access away; its tokens end at once',
  auth: website,
  params: Type.Object({ uid: Text }),
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const hash = isUuid(params.uid) ? await findGrantHash(sql, who.user_uid, params.uid) : undefined
    await endGrant(sql, hash ?? refuse('NOT_FOUND'))
    clearIdentityCache()
    return {}
  },
})

export const oauthRoutes: Route[] = [
  authorizeRoute,
  resumeRoute,
  tokenRoute,
  revocationRoute,
  registrationRoute,
  jwksRoute,
  ...documents,
  listGrantsRoute,
  endGrantRoute,
]
