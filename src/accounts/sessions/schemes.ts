import type { FastifyRequest } from 'fastify'
import type { Scheme } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { chain, type MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { logRequest } from '../keys/call-log.ts'
import { type AgentScope, isOperatorScope, type PlayerScope, scopesCover } from '../keys/scopes.ts'
import { checkMayPublish, checkNotSuspended } from '../people/suspension.ts'
import { requireTerms } from '../policies/acceptance.ts'
import { requireSecondFactor } from '../second-factor/requirement.ts'
import { sessionToken } from './cookies.ts'
import { type Identity, identify } from './identity.ts'
import { isPlayerToken } from './player-tokens.ts'
import { isSameOrigin } from './same-origin.ts'
import { requireProof } from './step-up.ts'

const commonErrors: ErrorName[] = ['UNAUTHENTICATED', 'WRONG_TOKEN_KIND', 'SUSPENDED']
const credentialHeaders = 'Authorization, SVC_GAMES'
/** The same token in either header. */
const tokenWith = (...scopes: string[]): Record<string, string[]>[] => [
  { bearer: scopes },
  { svc_games: scopes },
]
export const tokenSecurity = tokenWith()
const sessionSecurity = { session_cookie: [] }

/** The token of a header, if any; empty if the header has another form. */
function tokenOf({ headers: { authorization, svc_games } }: FastifyRequest): string | undefined {
  if (authorization === undefined)
    return svc_games === undefined ? undefined : String(svc_games).trim()
  return authorization.match(/^Bearer +(\S+)$/i)?.[1] ?? ''
}

/** The credential of a header, if any. An unusable header is refused, never ignored. */
export function bearer(core: Core, request: FastifyRequest): MaybePromise<Identity | undefined> {
  const token = tokenOf(request)
  if (token === undefined) return undefined
  return chain(token ? identify(core, token) : undefined, (identity) => {
    if (identity) {
      checkNotSuspended(identity)
      return identity
    }
    if (isPlayerToken(core, token, new Date())) refuse('WRONG_TOKEN_KIND')
    return refuse('UNAUTHENTICATED', undefined, 'The token is not valid or has expired')
  })
}

/**
 * The session cookie, for private routes only. A request that changes something must come from the
 * site itself.
 */
async function cookie(core: Core, request: FastifyRequest): Promise<Identity | undefined> {
  const token = sessionToken(request)
  const identity = token ? await identify(core, token) : undefined
  if (identity) checkNotSuspended(identity)
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

/** Sets `request.who`, so that the call log records the request even if the route refuses it. */
async function signedIn(core: Core, request: FastifyRequest): Promise<Identity> {
  const who =
    (await bearer(core, request)) ?? (await cookie(core, request)) ?? refuse('UNAUTHENTICATED')
  request.who = who
  if (who.kind === 'session') {
    await requireTerms(core, request, who)
    await requireSecondFactor(core, request, who)
  }
  return who
}

/** People on the website; keys and tokens are refused. */
export const website: Scheme<Identity> = {
  name: 'website',
  security: [...tokenSecurity, sessionSecurity],
  errors: [...commonErrors, 'CROSS_SITE_REQUEST', 'STORE_TERMS_REQUIRED', 'SECOND_FACTOR_REQUIRED'],
  vary: 'Authorization, Cookie',
  async identify(core, request) {
    const who = await signedIn(core, request)
    return who.kind === 'session' ? who : refuse('WRONG_TOKEN_KIND')
  },
  requireProof,
  onAnswer: logRequest,
}

/** Any credential, for routes that return only what belongs to its holder. */
export const holder: Scheme<Identity> = {
  ...website,
  name: 'holder',
  errors: [...commonErrors, 'STORE_TERMS_REQUIRED', 'SECOND_FACTOR_REQUIRED'],
  identify: signedIn,
}

/** People on the website, and agents with a key of any scope. */
export const anyAgent: Scheme<Identity> = {
  ...website,
  name: 'any agent',
  async identify(core, request) {
    const who = await signedIn(core, request)
    return who.kind === 'player' ? refuse('WRONG_TOKEN_KIND') : who
  },
}

/** Developers on the website, and agents with a key that covers at least one of the scopes. */
export const developer = (...scopes: AgentScope[]): Scheme<Identity> => withKey({ agent: scopes })

/** Players on the website, and player keys that cover at least one of the scopes. */
export const player = (...scopes: PlayerScope[]): Scheme<Identity> => withKey({ player: scopes })

/** For what concerns the whole account: a key that is bound to one project is refused. */
export function wholeAccount(required: RequiredScopes): Scheme<Identity> {
  const scheme = withKey(required)
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

type RequiredScopes = { agent?: readonly AgentScope[]; player?: readonly PlayerScope[] }

function withKey(required: RequiredScopes): Scheme<Identity> {
  const kinds = Object.entries(required) as [
    'agent' | 'player',
    readonly (AgentScope | PlayerScope)[],
  ][]
  const for_operators = required.agent?.every(isOperatorScope) ?? false
  const for_developers =
    required.agent !== undefined && required.player === undefined && !for_operators
  return {
    name: kinds.map(([kind, scopes]) => `${kind} ${scopes.join(' or ')}`).join(', '),
    security: [
      ...kinds.flatMap(([, scopes]) => scopes.flatMap((scope) => tokenWith(scope))),
      sessionSecurity,
    ],
    errors: [
      ...commonErrors,
      'CROSS_SITE_REQUEST',
      'STORE_TERMS_REQUIRED',
      'SECOND_FACTOR_REQUIRED',
      'SCOPE_MISSING',
      ...(required.agent && !for_operators ? (['ADMIN_AGENTS_OFF'] as const) : []),
    ],
    vary: 'Authorization, Cookie',
    async identify(core, request) {
      const who = await signedIn(core, request)
      if (who.kind !== 'session') {
        const scopes = required[who.kind] ?? refuse('WRONG_TOKEN_KIND')
        if (!scopes.some((scope) => scopesCover(who.scopes, scope))) refuseScope(scopes)
      }
      if (for_developers && publishes(request)) checkMayPublish(who)
      return who
    },
    requireProof,
    onAnswer: logRequest,
  }
}

/** What a developer changes is published; reading and withdrawing are not. */
const publishes = ({ method }: FastifyRequest) =>
  method === 'POST' || method === 'PUT' || method === 'PATCH'

const refuseScope = (scopes: readonly string[]): never =>
  refuse(
    'SCOPE_MISSING',
    { scope: scopes[0]! },
    `This token lacks the scope ${scopes.join(' or ')}`,
  )

/**
 * Public routes that show more to a signed-in player. Requests without a credential are anonymous;
 * an invalid token is refused. Cookies are not read.
 */
export const viewer: Scheme<Identity | null> = {
  name: 'viewer',
  security: [{}, ...tokenWith('player:read')],
  errors: [...commonErrors, 'SCOPE_MISSING'],
  vary: credentialHeaders,
  identify: (core, request) =>
    chain(bearer(core, request), (who) => {
      if (who === undefined) return null
      request.who = who
      if (who.kind === 'session') return who
      if (who.kind !== 'player') refuse('WRONG_TOKEN_KIND')
      return scopesCover(who.scopes, 'player:read') ? who : refuseScope(['player:read'])
    }),
  // Anonymous requests are not logged.
  onAnswer: (core, request, status, text) =>
    request.who ? logRequest(core, request, status, text) : undefined,
}

/**
 * Public routes that show everyone the same. A valid credential of any kind changes nothing; an
 * invalid one is refused as on every other public route, so that its holder learns that it ended.
 */
export const optionalToken: Scheme<Identity | null> = {
  ...viewer,
  name: 'optional token',
  security: [{}, ...tokenSecurity],
  errors: ['UNAUTHENTICATED', 'SUSPENDED'],
  identify(core, request) {
    // The token of a player in a game has no account here, but it is valid.
    if (isPlayerToken(core, tokenOf(request) ?? '', new Date())) return null
    return chain(bearer(core, request), (who) => who ?? null)
  },
}
