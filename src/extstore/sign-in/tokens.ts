import { createHmac, timingSafeEqual } from 'node:crypto'

export const TOKEN_SECONDS = 3600
export const REFRESH_SECONDS = 24 * 3600
export const RETENTION_DAYS = 30

/** What a session token says (interface 2.13). */
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
/** The only header there is: whatever names another algorithm, or says anything else, is no token of ours. */
const HEADER = encode('{"alg":"HS512","typ":"JWT"}')
const SIGNATURE_LENGTH = 86
const MOST_TOKEN = 4096

const signature = (signed: string, auth_key: string) =>
  createHmac('sha512', auth_key).update(signed).digest('base64url')

export const audience = (app_id: number) => `extstore:${app_id}`

export function signToken(claims: Claims, auth_key: string): string {
  const signed = `${HEADER}.${encode(JSON.stringify(claims))}`
  return `${signed}.${signature(signed, auth_key)}`
}

/** The claims of a token that this key signed for this game, expired or not; anything else is nothing. Not one byte is read before the signature holds. */
export function readToken(
  token: string,
  auth_key: string,
  game: { game_uid: string; app_id: number },
): Claims | undefined {
  const end = token.length - SIGNATURE_LENGTH - 1
  if (
    token.length > MOST_TOKEN ||
    end <= HEADER.length ||
    token[end] !== '.' ||
    !token.startsWith(`${HEADER}.`)
  )
    return undefined
  const signed = token.slice(0, end)
  // Compared as text, because several texts decode to the same bytes.
  const sent = Buffer.from(token.slice(end + 1), 'latin1')
  if (!timingSafeEqual(sent, Buffer.from(signature(signed, auth_key), 'latin1'))) return undefined
  const claims = parse(signed.slice(HEADER.length + 1))
  return claims && claims.gid === game.game_uid && claims.aud === audience(game.app_id)
    ? claims
    : undefined
}

/** Signed by whoever holds the auth key, which is also the developer's server: the shape is not taken on trust. */
function parse(payload: string): Claims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const texts = [claims.iss, claims.aud, claims.gid, claims.sub, claims.jti]
    const right =
      texts.every((text) => typeof text === 'string') &&
      Number.isInteger(claims.iat) &&
      Number.isInteger(claims.exp)
    return right && typeof claims.vac === 'boolean' && claims.own === true ? claims : undefined
  } catch {
    return undefined
  }
}

export const isExpired = ({ exp }: Pick<Claims, 'exp'>, now: number) => now >= exp * 1000

export const canRefresh = ({ exp }: Pick<Claims, 'exp'>, now: number) =>
  now < (exp + REFRESH_SECONDS) * 1000

/** The record of a token, as far as it decides whether the token still counts. `exp` is in seconds, as in the token. */
export type SessionRecord = {
  /** Of one auth key, and so of one game. */
  generation: string
  revoked: boolean
  extstore_id: string
  owner_extstore_id: string | null
  exp: number
}
export type Standing = { valid: boolean; expired: boolean; revoked: boolean }
type Game = { generation: string }

/** No record is as good as revoked: nothing was issued, or it was long ago. */
export function isRevoked(record: SessionRecord | undefined, game: Game): boolean {
  return !record || record.revoked || record.generation !== game.generation
}

/** Whether the record is of exactly these claims: whoever has the auth key can sign others under the same id, but did not get them from us. */
export function isRecorded(claims: Claims, record: SessionRecord | undefined): boolean {
  return (
    !record ||
    (claims.sub === record.extstore_id &&
      (claims.osid ?? null) === record.owner_extstore_id &&
      claims.exp === record.exp)
  )
}

export function standingOf(
  claims: Claims,
  record: SessionRecord | undefined,
  game: Game,
  now: number,
): Standing {
  const expired = isExpired(claims, now)
  const revoked = isRevoked(record, game)
  return { valid: !expired && !revoked, expired, revoked }
}
