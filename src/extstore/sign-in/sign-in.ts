import { batched } from '../../core/database/batch.ts'
import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { MINUTE_MS } from '../../core/runtime/units.ts'
import { uuidOf, uuidv7 } from '../../core/security/crypto.ts'
import type { Sealed } from '../../core/security/secrets.ts'
import { askOwnership, authenticate, budget } from '../client/store.ts'
import {
  AUTH_KEY,
  findSessions,
  findUsedTickets,
  insertSessions,
  type NewSession,
  type Recorded,
  readGamesWithKeys,
  readSignInGames,
  replaceSession,
  type SealedKeys,
  type SignInGame,
  WEB_API_KEY,
} from './queries.ts'
import { checkTicket, lender, ticketCore } from './ticket-rules.ts'
import {
  audience,
  type Claims,
  canRefresh,
  isRecorded,
  isRevoked,
  readToken,
  signToken,
  standingOf,
  TOKEN_SECONDS,
} from './tokens.ts'

/** Nothing when sign-in is off or there is no such game, which are told alike. */
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
    auth_key: opened(core, game.game_uid, AUTH_KEY, auth_key),
    web_api_key: opened(core, game.game_uid, WEB_API_KEY, web_api_key),
  }
}

const MAX_OPENED = 2000
/** Other processes learn nothing of a key that was deleted here: they forget it by themselves. */
const OPENED_MS = 5 * MINUTE_MS
const openedBefore = perCore(() => createCache<string>({ max_entries: MAX_OPENED }))

/** What was just read from the database, opened: the same sealed bytes need opening once, and other bytes are another secret. */
function opened(core: Core, game_uid: string, field: string, sealed: Sealed): string {
  const known = openedBefore(core)
  const name = `${game_uid} ${field} ${sealed.key_version} ${sealed.sealed.toString('latin1')}`
  const before = known.get(name)
  if (before !== undefined) return before
  const text = core.secrets.open(game_uid, field, sealed)
  known.set(name, text)
  setTimeout(() => known.delete(name), OPENED_MS).unref()
  return text
}

/** For whoever deleted or replaced the keys of a game: none of the old ones stays in memory. */
export function forgetKeys(core: Core, game_uid: string): void {
  const known = openedBefore(core)
  for (const name of [...known.keys()]) if (name.startsWith(`${game_uid} `)) known.delete(name)
}

/** How many opened keys of a game are in memory. */
export const openedKeys = (core: Core, game_uid: string): number =>
  [...openedBefore(core).keys()].filter((name) => name.startsWith(`${game_uid} `)).length

export type Issued = {
  token: string
  expires_at: string
  extstore_id: string
  family_shared: boolean
  session_uid: string
  svc_user_uid?: string
}

/** Nothing is issued before the ticket was accepted, the account owns the game, and the record stands. */
export async function signIn(
  core: Core,
  uid_or_name: string,
  sent: string,
  ip: string,
): Promise<Issued> {
  const game = await openGame(core, uid_or_name)
  const ticket = checkTicket(sent)
  const ticket_hash = hashTicket(core, ticket)
  if (await wasUsed(core, ticket_hash)) refuseReplay()
  const patience = budget()
  const accepted = await authenticate(
    core,
    game,
    { app_id: game.app_id, ticket, identity: game.ticket_key },
    patience,
  )
  const { extstore_id, vac } = accepted
  if (accepted.publisher_banned)
    refuse('GAME_NOT_OWNED', undefined, 'This account is banned from the game')
  const owner = await ownerNow(core, game, extstore_id, patience)
  const draft = begin(
    game,
    extstore_id,
    lender(extstore_id, [owner, accepted.owner_extstore_id]),
    ip,
  )
  const recorded = (await recordSession(core, { ...draft, ticket_hash })) ?? refuseReplay()
  return issue(core, game, draft, vac, recorded)
}

/** Ownership is asked for again, and the old token ends as the new one begins. */
export async function refresh(
  core: Core,
  uid_or_name: string,
  token: string,
  ip: string,
): Promise<Issued> {
  const game = await openGame(core, uid_or_name)
  const old = readToken(token, game.auth_key, game)
  if (!old || !canRefresh(old, Date.now())) refuse('SESSION_ENDED')
  const record = await findSession(core, old.jti)
  if (isRevoked(record, game) || !isRecorded(old, record)) refuse('SESSION_ENDED')
  const owner = await ownerNow(core, game, old.sub)
  const draft = begin(game, old.sub, lender(old.sub, [owner]), ip)
  const recorded = (await replaceSession(core.sql, old.jti, draft)) ?? refuse('SESSION_ENDED')
  return issue(core, game, draft, old.vac, recorded)
}

const refuseReplay = () =>
  refuse(
    'TICKET_REFUSED',
    undefined,
    'This ticket has been used; ask the external store for a new one',
  )

/** A keyed hash in the shape of a uuid, which the database compares fast. The ticket cannot be found from it. */
function hashTicket({ secrets }: Core, ticket: string): string {
  const hex = secrets.mac('extstore ticket', ticketCore(ticket)).toString('hex')
  return uuidOf(hex.slice(0, 32))
}

async function ownerNow(
  core: Core,
  game: OpenGame,
  extstore_id: string,
  patience = budget(),
): Promise<string> {
  const { owns_app, owner_extstore_id } = await askOwnership(
    core,
    game,
    { app_id: game.app_id, extstore_id },
    patience,
  )
  return owns_app && owner_extstore_id
    ? owner_extstore_id
    : refuse('GAME_NOT_OWNED', undefined, 'This account does not own the game')
}

type Draft = Omit<NewSession, 'ticket_hash'> & { iat: number }

function begin(
  { game_uid, generation }: OpenGame,
  extstore_id: string,
  owner: string | undefined,
  ip: string,
): Draft {
  const now = Date.now()
  const iat = Math.floor(now / 1000)
  return {
    jti: uuidv7(now),
    game_uid,
    generation,
    extstore_id,
    owner_extstore_id: owner ?? null,
    ip,
    iat,
    exp: iat + TOKEN_SECONDS,
  }
}

function issue(
  { addresses }: Core,
  game: OpenGame,
  draft: Draft,
  vac: boolean,
  { user_uid }: Recorded,
): Issued {
  const { jti, iat, exp, extstore_id, owner_extstore_id } = draft
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

export type Verified = {
  valid: boolean
  expired: boolean
  revoked: boolean
  claims?: Claims
  svc_user?: { uid: string; username: string }
}

/** Undefined for what is no token of this game. What a bad token claims is not repeated, so that nobody builds on it by mistake. */
export async function verify(
  core: Core,
  game: SignInGame & { auth_key: string },
  token: string,
): Promise<Verified | undefined> {
  const claims = readToken(token, game.auth_key, game)
  if (!claims) return undefined
  const found = await findSession(core, claims.jti)
  if (!isRecorded(claims, found)) return undefined
  const standing = standingOf(claims, found, game, Date.now())
  if (!standing.valid) return standing
  const svc_user = found?.svc_user
  const { buid, ...rest } = claims
  // A person who has unlinked since is not told of any more.
  const kept = buid && svc_user?.uid === buid ? claims : rest
  return { ...standing, claims: kept, ...(svc_user ? { svc_user } : {}) }
}

/** Who plays with this token, for rooms that take a session as a credential; nothing if it does not count (any more). */
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
