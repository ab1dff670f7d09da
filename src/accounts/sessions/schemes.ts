import type { FastifyRequest } from 'fastify'
import type { Scheme } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { chain, type MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { recordCall } from '../keys/call-log.ts'
import { type AgentScope, covers, type PlayerScope } from '../keys/scopes.ts'
import { isSameOrigin } from '../people/account-rules.ts'
import { type Identity, identify } from './identity.ts'

export const SESSION_COOKIE = 'svc_session'
const common: ErrorName[] = ['UNAUTHENTICATED', 'WRONG_TOKEN_KIND']
const credentialHeaders = 'Authorization, SVC_GAMES'

/** The credential sent in a header, if any. A header that is there but unusable is refused, never ignored. */
export function bearer(core: Core, request: FastifyRequest): MaybePromise<Identity | undefined> {
  const { authorization, svc_games } = request.headers
  if (authorization === undefined && svc_games === undefined) return undefined
  const token =
    authorization === undefined
      ? String(svc_games).trim()
      : authorization.match(/^Bearer +(\S+)$/i)?.[1]
  return chain(
    token ? identify(core.sql, token) : undefined,
    (identity) =>
      identity ?? refuse('UNAUTHENTICATED', undefined, 'The token is not valid or has expired'),
  )
}

/** The session cookie, for private routes only. A request that changes something must come from the site itself. */
async function cookie(core: Core, request: FastifyRequest): Promise<Identity | undefined> {
  const token = request.headers.cookie?.match(/(?:^|;\s*)svc_session=(\w+)\s*(?:;|$)/)?.[1]
  const identity = token?.startsWith('svc_sess_') ? await identify(core.sql, token) : undefined
  if (identity && request.method !== 'GET' && request.method !== 'HEAD') {
    const headers = {
      fetch_site: request.headers['sec-fetch-site'] as string | undefined,
      origin: request.headers.origin,
      host: request.headers.host,
    }
    if (!isSameOrigin(headers, [core.addresses.web_url, core.addresses.base_url]))
      refuse('CROSS_SITE_REQUEST')
  }
  return identity
}

/** Known to the log of calls from here on, also when the route then refuses them. */
async function signedIn(core: Core, request: FastifyRequest): Promise<Identity> {
  const who =
    (await bearer(core, request)) ?? (await cookie(core, request)) ?? refuse('UNAUTHENTICATED')
  request.who = who
  return who
}

/** People on the website; no key of any kind. */
export const website: Scheme<Identity> = {
  name: 'website',
  security: [{ bearer: [] }],
  errors: [...common, 'CROSS_SITE_REQUEST'],
  vary: 'Authorization, Cookie',
  async identify(core, request) {
    const who = await signedIn(core, request)
    return who.kind === 'session' ? who : refuse('WRONG_TOKEN_KIND')
  },
  onAnswer: recordCall,
}

/** Whoever holds a credential of any kind: what the route tells is theirs. */
export const holder: Scheme<Identity> = { ...website, name: 'holder', identify: signedIn }

/** What agents ask people for: on the website, or through an agent key of any scope. */
export const anyAgent: Scheme<Identity> = {
  ...website,
  name: 'any agent',
  async identify(core, request) {
    const who = await signedIn(core, request)
    return who.kind === 'player' ? refuse('WRONG_TOKEN_KIND') : who
  },
}

/** Developers: on the website, or through an agent key whose scopes cover what the route does; any one of those named will do. */
export const developer = (...scopes: AgentScope[]): Scheme<Identity> => withKey({ agent: scopes })

/** Players: on the website, or through a player key whose scopes cover what the route does. */
export const player = (...scopes: PlayerScope[]): Scheme<Identity> => withKey({ player: scopes })

/** What concerns the whole account, on the website or through keys of these scopes: a key bound to one project stays out. */
export function wholeAccount(needs: Needs): Scheme<Identity> {
  const scheme = withKey(needs)
  return {
    ...scheme,
    errors: [...scheme.errors, 'FORBIDDEN'],
    async identify(core, request) {
      const who = await scheme.identify(core, request)
      return who.game_uid
        ? refuse(
            'FORBIDDEN',
            undefined,
            'This key is bound to one project; use one for the whole account',
          )
        : who
    },
  }
}

type Needs = { agent?: readonly AgentScope[]; player?: readonly PlayerScope[] }

function withKey(needs: Needs): Scheme<Identity> {
  const kinds = Object.entries(needs) as [
    'agent' | 'player',
    readonly (AgentScope | PlayerScope)[],
  ][]
  return {
    name: kinds.map(([kind, scopes]) => `${kind} ${scopes.join(' or ')}`).join(', '),
    security: kinds.flatMap(([, scopes]) => scopes.map((scope) => ({ bearer: [scope] }))),
    errors: [...common, 'CROSS_SITE_REQUEST', 'SCOPE_MISSING'],
    vary: 'Authorization, Cookie',
    async identify(core, request) {
      const who = await signedIn(core, request)
      if (who.kind === 'session') return who
      const [scope, ...others] = needs[who.kind] ?? refuse('WRONG_TOKEN_KIND')
      if ([scope!, ...others].some((one) => covers(who.scopes, one))) return who
      return refuse(
        'SCOPE_MISSING',
        { scope: scope! },
        `This token lacks the scope ${[scope, ...others].join(' or ')}`,
      )
    },
    onAnswer: recordCall,
  }
}

/** Public routes that show more to a signed-in player. Nobody is a valid answer; a bad token is not, and cookies are not read. */
export const viewer: Scheme<Identity | null> = {
  name: 'viewer',
  security: [{}, { bearer: [] }],
  errors: [...common, 'SCOPE_MISSING'],
  vary: credentialHeaders,
  identify: (core, request) =>
    chain(bearer(core, request), (who) => {
      if (who === undefined) return null
      request.who = who
      if (who.kind === 'session') return who
      if (who.kind !== 'player') refuse('WRONG_TOKEN_KIND')
      return covers(who.scopes, 'player:read')
        ? who
        : refuse(
            'SCOPE_MISSING',
            { scope: 'player:read' },
            'This token lacks the scope player:read',
          )
    }),
  // Nobody is nothing to write down, nor to wait for.
  onAnswer: (core, request, status, text) =>
    request.who ? recordCall(core, request, status, text) : undefined,
}
