import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY, HOUR } from '../../core/runtime/units.ts'

export const TOKEN_SECONDS = HOUR
export const REFRESH_SECONDS = DAY

/** The claims of a session token (see docs/sign-in.md). */
export type Claims = {
  iss: string
  aud: string
  gid: string
  sub: string
  osid?: string
  own: true
  vac: boolean
  buid?: string
  jti: string
  iat: number
  exp: number
}

const encode = (text: string) => Buffer.from(text).toString('base64url')
/** The only accepted header, so that no token can select another algorithm. */
const HEADER = encode('{"alg":"HS512","typ":"JWT"}')
const SIGNATURE_LENGTH = 86
const MAX_TOKEN_LENGTH = 4096

const signature = (signed: string, auth_key: string) =>
  createHmac('sha512', auth_key).update(signed).digest('base64url')

export const audience = (app_id: number) => `extstore:${app_id}`

export function signToken(claims: Claims, auth_key: string): string {
  const signed = `${HEADER}.${encode(JSON.stringify(claims))}`
  return `${signed}.${signature(signed, auth_key)}`
}

/**
 * The claims of a token that was signed with this key for this game, expired or not. Nothing is
 * parsed before the signature is verified.
 */
export function readToken(
  token: string,
  auth_key: string,
  game: { game_uid: string; app_id: number },
): Claims | undefined {
  const end = token.length - SIGNATURE_LENGTH - 1
  if (
    token.length > MAX_TOKEN_LENGTH ||
    end <= HEADER.length ||
    token[end] !== '.' ||
    !token.startsWith(`${HEADER}.`)
  )
    return undefined
  const signed = token.slice(0, end)
  // Compares the text, because several base64url texts decode to the same bytes.
  const received = Buffer.from(token.slice(end + 1), 'latin1')
  const expected = Buffer.from(signature(signed, auth_key), 'latin1')
  if (!timingSafeEqual(received, expected)) return undefined
  const claims = parseClaims(signed.slice(HEADER.length + 1))
  return claims && claims.gid === game.game_uid && claims.aud === audience(game.app_id)
    ? claims
    : undefined
}

/** Checks the types as well, because the developer's server also has the key and can sign. */
function parseClaims(payload: string): Claims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const texts = [claims.iss, claims.aud, claims.gid, claims.sub, claims.jti]
    const is_valid =
      texts.every((text) => typeof text === 'string') &&
      Number.isInteger(claims.iat) &&
      Number.isInteger(claims.exp)
    return is_valid && typeof claims.vac === 'boolean' && claims.own === true ? claims : undefined
  } catch {
    return undefined
  }
}

export const isExpired = ({ exp }: Pick<Claims, 'exp'>, now: number) => now >= exp * 1000

export const canRefresh = ({ exp }: Pick<Claims, 'exp'>, now: number) =>
  now < (exp + REFRESH_SECONDS) * 1000

/** The stored record of a token. `exp` is in seconds, as in the token. */
export type SessionRecord = {
  /** Identifies the auth key, and so the game. */
  generation: string
  revoked: boolean
  extstore_id: string
  owner_extstore_id: string | null
  exp: number
}
export type TokenStatus = { valid: boolean; expired: boolean; revoked: boolean }
type Game = { generation: string }

/** A token without a record counts as revoked: it was never issued, or long ago. */
export function isRevoked(record: SessionRecord | undefined, game: Game): boolean {
  return !record || record.revoked || record.generation !== game.generation
}

/**
 * Whether the claims match the record. The developer's server also has the auth key and can sign
 * other claims under the same id, which the service did not issue.
 */
export function matchesRecord(claims: Claims, record: SessionRecord | undefined): boolean {
  return (
    !record ||
    (claims.sub === record.extstore_id &&
      (claims.osid ?? null) === record.owner_extstore_id &&
      claims.exp === record.exp)
  )
}

export function statusOf(
  claims: Claims,
  record: SessionRecord | undefined,
  game: Game,
  now: number,
): TokenStatus {
  const expired = isExpired(claims, now)
  const revoked = isRevoked(record, game)
  return { valid: !expired && !revoked, expired, revoked }
}
