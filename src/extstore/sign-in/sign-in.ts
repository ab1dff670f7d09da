import { batched } from '../../core/database/batch.ts'
import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { MINUTE, MINUTE_MS } from '../../core/runtime/units.ts'
import { uuidOf, uuidv7 } from '../../core/security/crypto.ts'
import type { Sealed } from '../../core/security/secrets.ts'
import { authenticate, checkOwnership, timeBudget } from '../client/store.ts'
import {
  AUTH_KEY,
  findSessions,
  findUsedTickets,
  type InsertedSession,
  insertSessions,
  type NewSession,
  readGamesWithKeys,
  readSignInGames,
  replaceSession,
  type SealedKeys,
  type SignInGame,
  WEB_API_KEY,
} from './queries.ts'
import { checkTicket, lenderOf, ticketId } from './ticket-rules.ts'
import {
  audience,
  type Claims,
  canRefresh,
  isRevoked,
  matchesRecord,
  readToken,
  signToken,
  statusOf,
  TOKEN_SECONDS,
} from './tokens.ts'

/** Undefined if sign-in is off or the game does not exist; callers do not tell the two apart. */
export const signInGame = batched((core: Core, refs: string[]) => readSignInGames(core.sql, refs))
const gameWithKeys = batched((core: Core, refs: string[]) => readGamesWithKeys(core.sql, refs))
const wasUsed = batched((core: Core, hashes: string[]) => findUsedTickets(core.sql, hashes))
const recordSession = batched((core: Core, sessions: NewSession[]) =>
  insertSessions(core.sql, sessions),
)
export const findSession = batched((core: Core, jtis: string[]) => findSessions(core.sql, jtis))

export type OpenGame = SignInGame & { ticket_key: string; auth_key: string; web_api_key: string }

export async function openGame(core: Core, uid_or_name: string): Promise<OpenGame> {
  const game = (await gameWithKeys(core, uid_or_name)) ?? refuse('EXTSTORE_SIGN_IN_OFF')
  return unseal(core, game)
}

function unseal(core: Core, { auth_key, web_api_key, ...game }: SignInGame & SealedKeys): OpenGame {
  return {
    ...game,
    auth_key: decrypt(core, game.game_uid, AUTH_KEY, auth_key),
    web_api_key: decrypt(core, game.game_uid, WEB_API_KEY, web_api_key),
  }
}

const MAX_DECRYPTED_KEYS = 2000
/** A key that was deleted by another process stays in memory for this long at most. */
const DECRYPTED_MS = 5 * MINUTE_MS
const decryptedKeys = perCore(() => createCache<string>({ max_entries: MAX_DECRYPTED_KEYS }))

/** Decrypts a key. The cache is keyed by the encrypted bytes, so a replaced key is never stale. */
function decrypt(core: Core, game_uid: string, field: string, sealed: Sealed): string {
  const cache = decryptedKeys(core)
  const name = `${game_uid} ${field} ${sealed.key_version} ${sealed.sealed.toString('latin1')}`
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const key = core.secrets.open(game_uid, field, sealed)
  cache.set(name, key)
  setTimeout(() => cache.delete(name), DECRYPTED_MS).unref()
  return key
}

/**
 * Removes the keys of a game from memory after they were deleted or replaced. Returns how many were
 * there.
 */
export function forgetKeys(core: Core, game_uid: string): number {
  const cache = decryptedKeys(core)
  const names = [...cache.keys()].filter((name) => name.startsWith(`${game_uid} `))
  for (const name of names) cache.delete(name)
  return names.length
}

/**
 * Counts a sign-in or refresh of a game. Only well-formed tickets and signed tokens count: anyone
 * can send other text, and would use up the limit for all players.
 */
const countSignIn = ({ limiter }: Core, { game_uid }: OpenGame) =>
  limiter.take('game extstore sign-in', game_uid, { points: 1200, seconds: MINUTE })

export type IssuedToken = {
  token: string
  expires_at: string
  extstore_id: string
  family_shared: boolean
  session_uid: string
  svc_user_uid?: string
}

/**
 * Issues a token after the store accepted the ticket, the account owns the game, and the session is
 * recorded.
 */
export async function signIn(
  core: Core,
  uid_or_name: string,
  sent_ticket: string,
  ip: string,
): Promise<IssuedToken> {
  const game = await openGame(core, uid_or_name)
  const ticket = checkTicket(sent_ticket)
  await countSignIn(core, game)
  const ticket_hash = hashTicket(core, ticket)
  if (await wasUsed(core, ticket_hash)) refuseReplay()
  const budget = timeBudget()
  const request = { app_id: game.app_id, ticket, identity: game.ticket_key }
  const accepted = await authenticate(core, game, request, budget)
  const { extstore_id, vac } = accepted
  if (accepted.publisher_banned)
    refuse('GAME_NOT_OWNED', undefined, 'This account is banned from the game')
  const owner = await readOwner(core, game, extstore_id, budget)
  // The current owner takes precedence over the one that the ticket names.
  const lender = lenderOf(extstore_id, [owner, accepted.owner_extstore_id])
  const session = newSession(game, { extstore_id, lender, ip })
  const { user_uid } = (await recordSession(core, { ...session, ticket_hash })) ?? refuseReplay()
  return issue(core, game, session, { vac, user_uid })
}

/** Checks ownership again, and revokes the old token when it issues the new one. */
export async function refresh(
  core: Core,
  uid_or_name: string,
  token: string,
  ip: string,
): Promise<IssuedToken> {
  const game = await openGame(core, uid_or_name)
  const old = readToken(token, game.auth_key, game)
  if (!old || !canRefresh(old, Date.now())) refuse('SESSION_ENDED')
  await countSignIn(core, game)
  const record = await findSession(core, old.jti)
  if (isRevoked(record, game) || !matchesRecord(old, record)) refuse('SESSION_ENDED')
  const owner = await readOwner(core, game, old.sub)
  const lender = lenderOf(old.sub, [owner])
  const session = newSession(game, { extstore_id: old.sub, lender, ip })
  const { user_uid } = (await replaceSession(core.sql, old.jti, session)) ?? refuse('SESSION_ENDED')
  return issue(core, game, session, { vac: old.vac, user_uid })
}

const refuseReplay = () =>
  refuse(
    'TICKET_REFUSED',
    undefined,
    'This ticket has already been used. Request a new one from the external store.',
  )

/** A keyed hash of the ticket, stored as a UUID to keep the index small. */
function hashTicket({ secrets }: Core, ticket: string): string {
  const hex = secrets.mac('extstore ticket', ticketId(ticket)).toString('hex')
  return uuidOf(hex.slice(0, 32))
}

async function readOwner(
  core: Core,
  game: OpenGame,
  extstore_id: string,
  budget = timeBudget(),
): Promise<string> {
  const request = { app_id: game.app_id, extstore_id }
  const { owns_app, owner_extstore_id } = await checkOwnership(core, game, request, budget)
  return owns_app && owner_extstore_id
    ? owner_extstore_id
    : refuse('GAME_NOT_OWNED', undefined, 'This account does not own the game')
}

type UnrecordedSession = Omit<NewSession, 'ticket_hash'> & { iat: number }

function newSession(
  { game_uid, generation }: OpenGame,
  { extstore_id, lender, ip }: { extstore_id: string; lender: string | undefined; ip: string },
): UnrecordedSession {
  const now = Date.now()
  const iat = Math.floor(now / 1000)
  return {
    jti: uuidv7(now),
    game_uid,
    generation,
    extstore_id,
    owner_extstore_id: lender ?? null,
    ip,
    iat,
    exp: iat + TOKEN_SECONDS,
  }
}

function issue(
  { addresses }: Core,
  game: OpenGame,
  session: UnrecordedSession,
  { vac, user_uid }: InsertedSession & { vac: boolean },
): IssuedToken {
  const { jti, iat, exp, extstore_id, owner_extstore_id } = session
  const claims: Claims = {
    iss: addresses.issuer,
    aud: audience(game.app_id),
    gid: game.game_uid,
    sub: extstore_id,
    ...(owner_extstore_id ? { osid: owner_extstore_id } : {}),
    own: true,
    vac,
    ...(user_uid ? { buid: user_uid } : {}),
    jti,
    iat,
    exp,
  }
  return {
    token: signToken(claims, game.auth_key),
    expires_at: new Date(exp * 1000).toISOString(),
    extstore_id,
    family_shared: owner_extstore_id !== null,
    session_uid: jti,
    ...(user_uid ? { svc_user_uid: user_uid } : {}),
  }
}

export type VerifiedToken = {
  valid: boolean
  expired: boolean
  revoked: boolean
  claims?: Claims
  svc_user?: { uid: string; username: string }
}

/**
 * Undefined if it is not a token of this game. The claims are included only for a valid token, so
 * that callers cannot rely on the claims of an invalid token by mistake.
 */
export async function verify(
  core: Core,
  game: SignInGame & { auth_key: string },
  token: string,
): Promise<VerifiedToken | undefined> {
  const claims = readToken(token, game.auth_key, game)
  if (!claims) return undefined
  const session = await findSession(core, claims.jti)
  if (!matchesRecord(claims, session)) return undefined
  const status = statusOf(claims, session, game, Date.now())
  if (!status.valid) return status
  const svc_user = session?.svc_user
  const { buid, ...claims_without_user } = claims
  // The user may have unlinked their account since the token was issued.
  const is_linked = buid && svc_user?.uid === buid
  return {
    ...status,
    claims: is_linked ? claims : claims_without_user,
    ...(svc_user ? { svc_user } : {}),
  }
}

/** The player of a token, for modules that accept it as a credential; undefined if invalid. */
export async function playerOf(
  core: Core,
  uid_or_name: string,
  token: string,
): Promise<{ extstore_id: string; user_uid: string | null } | undefined> {
  const game = await gameWithKeys(core, uid_or_name)
  const verified = game && (await verify(core, unseal(core, game), token))
  return (
    verified?.claims && {
      extstore_id: verified.claims.sub,
      user_uid: verified.svc_user?.uid ?? null,
    }
  )
}
