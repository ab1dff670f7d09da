import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { agentScopes, operatorScopes, playerScopes } from '../../accounts/keys/scopes.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { clearIdentityCache } from '../../accounts/sessions/identity.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import { transact } from '../../core/database/transaction.ts'
import { readRequestBody } from '../../core/http/read-body.ts'
import {
  anyone,
  FreeForm,
  Nullable,
  nameSchemas,
  OneOf,
  type Route,
  route,
  TextOf,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import { parseJson } from '../../core/http/text-input.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type Refusal, refuse } from '../../core/runtime/errors.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { networkOf } from '../../core/security/client-address.ts'
import { isUuid, sha256 } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import {
  authorizationServer,
  openidConfiguration,
  protectedResource,
  serverCard,
} from '../mcp/metadata.ts'
import {
  developerServer,
  grantableScopes,
  playerServer,
  resourceOf,
  toolServers,
} from '../mcp/tool-servers.ts'
import { clientMetadata } from './clients.ts'
import { DEVICE_CODE_GRANT, DEVICE_SCOPE, deviceName, POLL_SECONDS } from './device-client.ts'
import { forwardToLibrary, paths } from './provider.ts'
import { endGrant, findGrantHash, type GrantRow, listGrants, recordPoll } from './queries.ts'

const MAX_BODY_BYTES = 64 * 1024
const Text = Type.String()
const common = {
  role: 'web',
  auth: anyone,
  envelope: false,
  cache: 'no-store',
  produces: 'application/json',
} as const

const FORM = 'application/x-www-form-urlencoded'
const optionalText = (description: string) => Type.Optional(Type.String({ description }))
const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: 'OAuthError' },
)
const invalidRequest = { 400: { description: 'An error of OAuth', data: OAuthError } }
const refusedRequest = {
  ...invalidRequest,
  401: { description: 'The client is not authenticated', data: OAuthError },
}
const authorization = {
  redirect: 303,
  // A page that links to the address, for clients that do not follow redirects.
  produces: 'text/html',
  described: {
    answers: { 400: { description: 'The request or its client is not valid', page: true } },
  },
} as const
const clientFields = {
  client_id: optionalText('The client, unless it is sent in the header Authorization'),
  client_secret: optionalText('The secret of a confidential client'),
}
const TokenForm = Type.Object({
  grant_type: OneOf(['authorization_code', 'refresh_token', DEVICE_CODE_GRANT]),
  code: optionalText('The authorization code'),
  redirect_uri: optionalText('The address that the code was sent to'),
  code_verifier: optionalText('The PKCE verifier of the code'),
  refresh_token: optionalText('The refresh token'),
  device_code: optionalText('The code of a device'),
  resource: optionalText('The tool server that the token is for (RFC 8707)'),
  ...clientFields,
})
const RevocationForm = Type.Object({
  token: Type.String({ description: 'The access or refresh token to end' }),
  token_type_hint: optionalText('access_token or refresh_token'),
  ...clientFields,
})
const ClientBody = Type.Object(
  {
    redirect_uris: Type.Array(Type.String()),
    client_name: optionalText('The name that people see when they are asked for consent'),
    token_endpoint_auth_method: optionalText('none for public clients'),
    scope: optionalText('The scopes that the client requests by default'),
  },
  { additionalProperties: true },
)

const DeviceForm = Type.Object({
  client_id: Type.String({ description: 'slipway, the client that is part of every store' }),
  scope: optionalText('player:read, which is also the default'),
  device_name: optionalText('What people recognize the device by'),
})
const DeviceData = Type.Object(
  {
    device_code: Type.String({ description: 'What the device asks the token endpoint with' }),
    user_code: Type.String({ description: 'What the person types' }),
    verification_uri: Type.String({ description: 'Where the person types it' }),
    verification_uri_complete: Type.String({ description: 'The same with the code in it' }),
    expires_in: Type.Integer({ description: 'Seconds' }),
    interval: Type.Integer({ description: 'Seconds between two requests of the device' }),
  },
  { title: 'OAuthDevice' },
)

const TokenData = Type.Object(
  {
    access_token: Text,
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds' }),
    refresh_token: Type.Optional(Text),
    scope: Type.Optional(Type.String({ description: 'Separated by spaces' })),
  },
  { title: 'OAuthToken' },
)
const ClientData = Type.Object(
  { client_id: Text, ...ClientBody.properties },
  { title: 'OAuthClient', additionalProperties: true },
)
const KeysData = Type.Object(
  { keys: Type.Array(FreeForm('A public key as in RFC 7517')) },
  { title: 'OAuthKeys' },
)

/** Errors of the service have the form of those of the library. */
const oauthFailure = ({ status, message }: Refusal) => ({
  error: status < 429 ? 'invalid_request' : 'temporarily_unavailable',
  error_description: message,
})
const bodyErrors = {
  errors: ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  failure_body: oauthFailure,
} satisfies Partial<Route>

const bodyOf = (raw: IncomingMessage) => readRequestBody(raw, MAX_BODY_BYTES)

/** Fills in the server and scopes that a client leaves out, and drops unknown scopes. */
function withDefaults(addresses: Addresses, url: string): string {
  const { pathname, searchParams: query } = new URL(url, addresses.mcp_auth_url)
  const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
  const wants_player =
    scopes.some((scope) => scope.startsWith('player:')) &&
    !scopes.some((scope) => /^(mcp|operator):/.test(scope))
  if (!query.has('resource'))
    query.set('resource', resourceOf(addresses, wants_player ? playerServer : developerServer))
  const server = toolServers.find(
    (candidate) => resourceOf(addresses, candidate) === query.get('resource'),
  )
  const known = scopes.filter((scope) => server && grantableScopes(server).includes(scope))
  if (server) query.set('scope', (known.length ? known : server.default_scopes).join(' '))
  return `${pathname}?${query}`
}

export const authorizeRoute = route({
  ...common,
  method: 'GET',
  url: paths.authorization,
  summary: 'OAuth authorization endpoint',
  ...authorization,
  limits: [perIp(120, { bucket: 'oauth authorize' })],
  handle: (input) => forwardToLibrary(input, withDefaults(input.core.addresses, input.request.url)),
})

export const resumeRoute = route({
  ...common,
  method: 'GET',
  url: `${paths.authorization}/:uid`,
  summary: 'Continues an authorization after the consent',
  ...authorization,
  limits: [perIp(120, { bucket: 'oauth authorize' })],
  params: Type.Object({ uid: Text }),
  handle: (input) => forwardToLibrary(input, input.request.url),
})

export const tokenRoute = route({
  ...common,
  method: 'POST',
  ...bodyErrors,
  url: paths.token,
  summary: 'OAuth token endpoint: exchanges codes and refresh tokens',
  described: {
    body: { [FORM]: TokenForm },
    data: TokenData,
    failure: OAuthError,
    answers: refusedRequest,
  },
  limits: [perIp(600, { bucket: 'oauth token' })],
  cors: true,
  raw_body: true,
  async handle(input) {
    const body = await bodyOf(input.request.raw)
    const fields = new URLSearchParams(body.toString('utf8'))
    const device_code = fields.get('device_code')
    if (fields.get('grant_type') === DEVICE_CODE_GRANT && device_code)
      if (await recordPoll(input.sql, sha256(device_code), POLL_SECONDS))
        return input.reply.code(400).send(JSON.stringify(SLOW_DOWN))
    return forwardToLibrary(input, paths.token, body)
  },
})

/** The library has no error for devices that ask too often (RFC 8628, 3.5). */
const SLOW_DOWN = {
  error: 'slow_down',
  error_description: `Wait ${POLL_SECONDS} seconds longer between two requests`,
}

export const deviceRoute = route({
  ...common,
  method: 'POST',
  ...bodyErrors,
  url: paths.device_authorization,
  summary: 'OAuth device authorization endpoint: the codes for signing in a device (RFC 8628)',
  described: {
    body: { [FORM]: DeviceForm },
    data: DeviceData,
    failure: OAuthError,
    answers: refusedRequest,
  },
  limits: [perIp(60, { seconds: HOUR })],
  cors: true,
  raw_body: true,
  async handle(input) {
    const { core, request } = input
    const fields = new URLSearchParams((await bodyOf(request.raw)).toString('utf8'))
    // Whatever it requests, a device gets this scope of this server only.
    fields.set('scope', DEVICE_SCOPE)
    fields.set('resource', resourceOf(core.addresses, playerServer))
    fields.set('device_name', deviceName(fields.get('device_name')))
    fields.set('device_network', networkOf(request.ip_address))
    return forwardToLibrary(input, paths.device_authorization, Buffer.from(String(fields)))
  },
})

export const revocationRoute = route({
  ...common,
  method: 'POST',
  ...bodyErrors,
  url: paths.revocation,
  summary: 'OAuth revocation endpoint: ends a token and its whole grant',
  produces: 'text/plain',
  described: { body: { [FORM]: RevocationForm }, failure: OAuthError, answers: refusedRequest },
  limits: [perIp(600, { bucket: 'oauth token' })],
  cors: true,
  raw_body: true,
  handle: async (input) =>
    forwardToLibrary(input, paths.revocation, await bodyOf(input.request.raw)),
})

export const registrationRoute = route({
  ...common,
  method: 'POST',
  ...bodyErrors,
  url: paths.registration,
  summary: 'OAuth dynamic client registration',
  status: 201,
  described: {
    body: { 'application/json': ClientBody },
    data: ClientData,
    failure: OAuthError,
    answers: invalidRequest,
  },
  limits: [perIp(60, { seconds: HOUR })],
  cors: true,
  raw_body: true,
  async handle(input) {
    const sent = parseJson(await bodyOf(input.request.raw), JSON.parse)
    const { client_id: _, ...metadata } = clientMetadata(sent)
    return forwardToLibrary(input, paths.registration, Buffer.from(JSON.stringify(metadata)))
  },
})

const jwksRoute = route({
  ...common,
  method: 'GET',
  url: paths.jwks,
  summary: 'The public keys of the authorization server',
  produces: 'application/jwk-set+json',
  described: { data: KeysData },
  limits: [perIp(120, { bucket: 'discovery' })],
  cors: true,
  handle: (input) => forwardToLibrary(input, paths.jwks),
})

const document = (url: string, summary: string, make: (core: Core) => object): Route =>
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
      reply.type('application/json; charset=utf-8').send(JSON.stringify(make(core))),
  })

const wellKnown = '/.well-known'
const documents = [
  document(
    `${wellKnown}/oauth-authorization-server`,
    'Authorization server metadata (RFC 8414)',
    authorizationServer,
  ),
  document(
    `${wellKnown}/openid-configuration`,
    'Authorization server metadata for OpenID clients',
    openidConfiguration,
  ),
  ...toolServers.flatMap((server) => [
    document(
      `${wellKnown}/oauth-authorization-server${server.path}`,
      `Authorization server metadata for ${server.path}`,
      (core) => authorizationServer(core, server),
    ),
    document(
      `${wellKnown}/oauth-protected-resource${server.path}`,
      `Protected resource metadata of ${server.path} (RFC 9728)`,
      (core) => protectedResource(core, server),
    ),
  ]),
  document(`${wellKnown}/mcp/server-card.json`, 'Server card of the developer tools', (core) =>
    serverCard(core, developerServer),
  ),
  document(`${wellKnown}/mcp.json`, 'Server card of the developer tools, by another name', (core) =>
    serverCard(core, developerServer),
  ),
  document(`${wellKnown}/mcp/player-server-card.json`, 'Server card of the player tools', (core) =>
    serverCard(core, playerServer),
  ),
]

const GrantData = Type.Object({
  uid: Uid,
  client_id: Text,
  client_name: Text,
  server: Text,
  scopes: Type.Array(TextOf([...playerScopes, ...agentScopes, ...operatorScopes])),
  game_uid: Nullable(Uid),
  created_at: Timestamp,
  expires_at: Timestamp,
})
nameSchemas({ ConnectedApp: GrantData })

function grantData({ payload, client_name, created_at, expires_at, ...row }: GrantRow) {
  const [[resource, scope] = ['', '']] = Object.entries(payload.resources ?? {})
  return {
    ...row,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    client_name: client_name ?? '',
    server: URL.parse(resource)?.pathname ?? '',
    scopes: scope.split(' ').filter(Boolean),
  }
}

export const listGrantsRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/agent-access',
  summary: 'Apps connected to your account, newest first',
  auth: website,
  data: Type.Object({ grants: Type.Array(GrantData) }),
  handle: async ({ sql, who }) => ({
    grants: (await listGrants(sql, who.user_uid)).map(grantData),
  }),
})

export const endGrantRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/account/agent-access/:uid',
  summary: 'Disconnect an app; its tokens stop working at once',
  auth: website,
  params: Type.Object({ uid: Text }),
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, params }) {
    const hash = isUuid(params.uid) ? await findGrantHash(sql, who.user_uid, params.uid) : undefined
    await transact(sql, async (tx) => {
      await endGrant(tx, hash ?? refuse('NOT_FOUND'))
      await recordSecurityEvent(tx, { core, request }, { kind: 'grant_revoked' })
    })
    clearIdentityCache()
    return {}
  },
})

export const oauthRoutes: Route[] = [
  authorizeRoute,
  resumeRoute,
  tokenRoute,
  deviceRoute,
  revocationRoute,
  registrationRoute,
  jwksRoute,
  ...documents,
  listGrantsRoute,
  endGrantRoute,
]
