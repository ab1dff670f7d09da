import { createPrivateKey } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Configuration, Provider } from 'oidc-provider'
import { userExists } from '../../accounts/people/queries.ts'
import type { Core } from '../../core/runtime/core.ts'
import { once } from '../../core/runtime/once.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { DAY, HOUR, MINUTE } from '../../core/runtime/units.ts'
import { newToken, type TokenPrefix, uuidv7 } from '../../core/security/crypto.ts'
import { grantableScopes, resourceOf, toolServers } from '../mcp/tool-servers.ts'
import { oauthAdapter } from './adapter.ts'
import { documentFetch, redirectProblem } from './clients.ts'
import {
  DEVICE_CODE_SECONDS,
  DEVICE_GRANT_SECONDS,
  deviceClient,
  isDeviceClient,
  POLL_SECONDS,
  USER_CODE_MASK,
} from './device-client.ts'

type Library = typeof import('oidc-provider')
type AuthorizationServer = {
  provider: Provider
  handle: ReturnType<Provider['callback']>
}

export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  device_authorization: '/oauth/device',
  code_verification: '/device',
  consent: '/oauth/consent',
} as const

export const ACCESS_SECONDS = HOUR
/** Counted from the consent, however often the token is refreshed. */
export const GRANT_SECONDS = 30 * DAY
const CODE_SECONDS = 10 * MINUTE
const CONSENT_SECONDS = 30 * MINUTE
/** Only between consent and redirect; people sign in with the session of the website. */
const SESSION_SECONDS = 5 * MINUTE
/** The PKCS#8 header of an Ed25519 private key. */
const ED25519_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Created with the first request: loading the library takes memory, and the address is known. */
const servers = perCore((core) => once(() => createServer(core)))
export const authorizationServerOf = (core: Core) => servers(core)()

async function createServer(core: Core): Promise<AuthorizationServer> {
  const library = await import('oidc-provider')
  const provider = new library.Provider(core.addresses.mcp_auth_url, configuration(core, library))
  // Makes the library read the host and scheme that libraryRequest sets.
  provider.proxy = true
  // The prefix makes leaked tokens recognizable, and mistyped ones are refused without a query.
  setTokenPrefix(provider.AccessToken, 'svc_oat_')
  setTokenPrefix(provider.RefreshToken, 'svc_ort_')
  provider.on('server_error', (ctx, error) => {
    showBeforeConsent(ctx, error)
    // Set by forwardToLibrary, like all headers of the answer.
    const id = ctx.res.getHeader('x-request-id')
    core.log.error({ id, err: error }, 'authorization server failed')
  })
  provider.on('authorization.error', showBeforeConsent)
  provider.on('device_authorization.success', (_, body) => {
    Object.assign(body, { interval: POLL_SECONDS })
  })
  return { provider, handle: provider.callback() }
}

/**
 * Anyone can register a client with any address. Errors before the consent are therefore shown
 * here: a redirect would send people from our address to that one without a question (RFC 9700,
 * 4.11.2). After the consent page, the person knows the client and its address.
 */
function showBeforeConsent(ctx: { oidc?: { route: string } }, error: Error) {
  if (ctx.oidc?.route === 'authorization') Object.assign(error, { allow_redirect: false })
}

function setTokenPrefix({ prototype }: { prototype: object }, prefix: TokenPrefix) {
  Object.assign(prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque'
      return newToken(prefix)
    },
  })
}

/**
 * The names of the cookies of a consent. They are bound to its paths, which the prefix `__Host-` of
 * other cookies forbids; with this one, browsers accept them over https only.
 */
const cookieName = ({ addresses }: Pick<Core, 'addresses'>, name: string) =>
  `${addresses.mcp_auth_url.startsWith('https:') ? '__Secure-' : ''}svc_oauth_${name}`

function configuration(core: Core, library: Library): Configuration {
  const { errors } = library
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const
  return {
    adapter: (kind: string) =>
      oauthAdapter(core, kind, () => new errors.InvalidGrant('already used')),
    clients: [deviceClient],
    clientAuthMethods: ['none', 'client_secret_post', 'client_secret_basic'],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      id_token_signed_response_alg: 'EdDSA',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator(ctx, _, value, { client_id }) {
        // Stored clients are loaded without a request. They keep the addresses that were allowed
        // when they registered; documents are checked whenever they are used.
        const problem = ctx || URL.canParse(client_id) ? redirectProblem(value) : undefined
        if (problem) throw new errors.InvalidClientMetadata(problem)
      },
    },
    cookies: {
      keys: [core.secrets.mac('oauth cookies', '').toString('base64url')],
      names: {
        session: cookieName(core, 'session'),
        interaction: cookieName(core, 'interaction'),
        resume: cookieName(core, 'resume'),
      },
      long: { ...cookie, path: '/oauth' },
      short: cookie,
    },
    expiresWithSession: () => false,
    // What a device calls itself, and the network that it is in.
    extraParams: ['device_name', 'device_network'],
    features: features(core, library),
    fetch: documentFetch({
      request: (options) => core.outbound.request(options),
    }) as Configuration['fetch'],
    findAccount: async (_, sub) =>
      (await userExists(core.sql, sub))
        ? { accountId: sub, claims: async () => ({ sub }) }
        : undefined,
    interactions: { url: (_, { uid }) => `${paths.consent}/${uid}` },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    jwks: { keys: [signingKey(core)] },
    pkce: { required: () => true },
    renderError: (ctx, { error, error_description }) =>
      renderError(ctx, `${error}: ${error_description ?? ''}`),
    responseTypes: ['code'],
    routes: paths,
    // Scopes belong to the tool servers (resourceIndicators), not to identities.
    scopes: [],
    ttl: {
      AccessToken: ACCESS_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      DeviceCode: DEVICE_CODE_SECONDS,
      Grant: (_, grant) => grantSeconds(grant.clientId),
      Interaction: CONSENT_SECONDS,
      Session: SESSION_SECONDS,
      // A rotated token keeps the expiry of the first one.
      RefreshToken: (ctx) =>
        ctx.oidc.entities.RotatedRefreshToken?.remainingTTL ??
        grantSeconds(ctx.oidc.client?.clientId),
    },
  }
}

const grantSeconds = (client_id: string | undefined) =>
  isDeviceClient(client_id) ? DEVICE_GRANT_SECONDS : GRANT_SECONDS

function features({ addresses }: Core, { errors }: Library): Configuration['features'] {
  const resources = new Map(toolServers.map((server) => [resourceOf(addresses, server), server]))
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    // Its page is ours: web/agents/device.ts.
    deviceFlow: { enabled: true, charset: 'base-20', mask: USER_CODE_MASK },
    revocation: {
      enabled: true,
      allowedPolicy: async (_: unknown, client, token) => token.clientId === client.clientId,
    },
    registration: { enabled: true, issueRegistrationAccessToken: false, idFactory: () => uuidv7() },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo(ctx, resource) {
        const server = resources.get(resource)
        if (!server || [ctx.oidc.params?.resource].flat().length !== 1)
          throw new errors.InvalidTarget('Name exactly one server of this service')
        return {
          scope: grantableScopes(server).join(' '),
          audience: resource,
          accessTokenTTL: ACCESS_SECONDS,
          accessTokenFormat: 'opaque',
        }
      },
    },
  } as Configuration['features']
}

/** The library requires a signing key, though nothing that clients receive is signed with it. */
function signingKey({ secrets }: Core) {
  const key = createPrivateKey({
    key: Buffer.concat([ED25519_HEADER, secrets.mac('oauth key', '')]),
    format: 'der',
    type: 'pkcs8',
  })
  return { ...key.export({ format: 'jwk' }), use: 'sig', kid: 'slipway' } as never
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The page of a person whose client sent an invalid authorization request. */
function renderError(ctx: { status: number; type: string; body: unknown }, message: string) {
  // Errors that the library meant to redirect have the status of a redirect.
  if (ctx.status < 400) ctx.status = 400
  ctx.type = 'html'
  const text = message.replace(/[&<>"']/g, (character) => entities[character]!)
  ctx.body = `<!doctype html>
<html lang="en">
<title>App not connected</title>
<h1>This app could not be connected</h1>
<p>${text}</p>`
}

/**
 * The request as the library gets it: with the public address of the service, and without the
 * OAuth session of an earlier consent.
 */
export function libraryRequest(
  core: Core,
  request: FastifyRequest,
  url: string,
  body?: Buffer,
): IncomingMessage {
  const { protocol, host } = new URL(core.addresses.mcp_auth_url)
  const cookie = request.headers.cookie
    ?.split(/;\s*/)
    .filter((pair) => !pair.startsWith(cookieName(core, 'session')))
    .join('; ')
  const headers = {
    ...request.headers,
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    cookie,
    ...(body ? { 'content-length': String(body.length), 'transfer-encoding': undefined } : {}),
  }
  const { socket, httpVersion } = request.raw
  return Object.assign(Readable.from(body ? [body] : []), {
    method: request.method,
    url,
    headers,
    socket,
    httpVersion,
  }) as never
}

type OauthRequest = { core: Core; request: FastifyRequest; reply: FastifyReply }

/** Lets the library answer a request. */
export async function forwardToLibrary(
  { core, request, reply }: OauthRequest,
  url: string,
  body?: Buffer,
) {
  const { handle } = await authorizationServerOf(core)
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  await handle(libraryRequest(core, request, url, body), reply.raw)
  return reply
}
