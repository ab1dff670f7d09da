import { createPrivateKey } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Configuration, Provider } from 'oidc-provider'
import { userExists } from '../../accounts/people/queries.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { newToken, type TokenPrefix, uuidv7 } from '../../core/security/crypto.ts'
import { DAY, HOUR, MINUTE } from '../../core/security/limits.ts'
import { resourceOf, toolServers } from '../mcp/tool-servers.ts'
import { oauthAdapter } from './adapter.ts'
import { documentFetch, redirectProblem } from './clients.ts'

type Library = typeof import('oidc-provider')
export type Authority = {
  provider: Provider
  library: Library
  answer: ReturnType<Provider['callback']>
}

export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  consent: '/oauth/consent',
} as const

export const ACCESS_SECONDS = HOUR
/** From the consent on, however often the token is refreshed. */
export const GRANT_SECONDS = 30 * DAY
const CODE_SECONDS = 10 * MINUTE
const CONSENT_SECONDS = 30 * MINUTE
/** Between the consent and the answer to the client; log-ins are the website's. */
const SESSION_SECONDS = 5 * MINUTE
const KEY_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The library is loaded, and our address known, when the first client comes. */
export const authorityOf = perCore(makeAuthority)

async function makeAuthority(core: Core): Promise<Authority> {
  const library = await import('oidc-provider')
  const provider = new library.Provider(core.addresses.mcp_auth_url, configuration(core, library))
  // We say below which host and scheme we have, whatever the request came by.
  provider.proxy = true
  // Recognisable when they leak, and refused without a query when mistyped.
  nameTokens(provider.AccessToken, 'svc_oat_')
  nameTokens(provider.RefreshToken, 'svc_ort_')
  provider.on('server_error', (_, error) =>
    core.log.error({ err: error }, 'the authorization server failed'),
  )
  return { provider, library, answer: provider.callback() }
}

function nameTokens({ prototype }: { prototype: object }, prefix: TokenPrefix) {
  Object.assign(prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque'
      return newToken(prefix)
    },
  })
}

function configuration(core: Core, library: Library): Configuration {
  const { errors } = library
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const
  return {
    adapter: (kind: string) =>
      oauthAdapter(core, kind, () => new errors.InvalidGrant('already used')),
    clientAuthMethods: ['none', 'client_secret_post', 'client_secret_basic'],
    clientDefaults: {
      ...{
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        id_token_signed_response_alg: 'EdDSA',
      },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    },
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator(_, __, value) {
        const problem = redirectProblem(value)
        if (problem) throw new errors.InvalidClientMetadata(problem)
      },
    },
    cookies: {
      keys: [core.secrets.mac('oauth cookies', '').toString('base64url')],
      names: {
        session: 'svc_oauth_session',
        interaction: 'svc_oauth_interaction',
        resume: 'svc_oauth_resume',
      },
      long: { ...cookie, path: '/oauth' },
      short: cookie,
    },
    expiresWithSession: () => false,
    features: features(core, library),
    fetch: documentFetch({
      request: (asked) => core.outbound.request(asked),
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
    // Scopes belong to the servers, not to identities.
    scopes: [],
    ttl: {
      AccessToken: ACCESS_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Grant: GRANT_SECONDS,
      Interaction: CONSENT_SECONDS,
      Session: SESSION_SECONDS,
      // Whatever is rotated in has what is left of the first one's days.
      RefreshToken: (ctx) => ctx.oidc.entities.RotatedRefreshToken?.remainingTTL ?? GRANT_SECONDS,
    },
  }
}

function features({ addresses }: Core, { errors }: Library): Configuration['features'] {
  const resources = new Map(toolServers.map((server) => [resourceOf(addresses, server), server]))
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
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
          throw new errors.InvalidTarget('name one server of this service')
        return {
          scope: server.scopes.join(' '),
          audience: resource,
          accessTokenTTL: ACCESS_SECONDS,
          accessTokenFormat: 'opaque',
        }
      },
    },
  } as Configuration['features']
}

/** It signs nothing that anyone is given; the library wants to have one. */
function signingKey({ secrets }: Core) {
  const key = createPrivateKey({
    key: Buffer.concat([KEY_HEADER, secrets.mac('oauth key', '')]),
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

/** For people whose client sent them here with something wrong; the website's own pages come after this. */
function renderError(
  ctx: { type: string; body: unknown; set: (name: string, value: string) => void },
  message: string,
) {
  ctx.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  ctx.type = 'html'
  const text = message.replace(/[&<>"']/g, (character) => entities[character]!)
  ctx.body = `<!doctype html><html lang="en"><title>Not allowed</title><h1>This app could not be let in</h1><p>${text}</p>`
}

/** The request as the library shall see it: at our own address, and without the log-in of another consent. */
export function seenByLibrary(
  core: Core,
  request: FastifyRequest,
  url: string,
  body?: Buffer,
): IncomingMessage {
  const { protocol, host } = new URL(core.addresses.mcp_auth_url)
  const cookie = request.headers.cookie
    ?.split(/;\s*/)
    .filter((one) => !one.startsWith('svc_oauth_session'))
    .join('; ')
  const headers = {
    ...request.headers,
    ...{ host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1), cookie },
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

export async function answerByLibrary(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  url: string,
  body?: Buffer,
) {
  const { answer } = await authorityOf(core)
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  await answer(seenByLibrary(core, request, url, body), reply.raw)
  return reply
}
