import { sign, verify } from 'node:crypto'
import type { Core } from '../../core/runtime/core.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { ALGORITHM, currentKey, keysAround } from './signing-keys.ts'

/**
 * A player token proves to a running game who plays it. It is valid for one game and one hour, and
 * anyone can verify it with the public keys of the service.
 */
export const PLAYER_TOKEN_SECONDS = HOUR
const audience = (game_uid: string) => `game:${game_uid}`

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const MAX_TOKEN_LENGTH = 2048

/**
 * Signing and verifying run synchronously. Asynchronous crypto would wait for threads of the libuv
 * pool that are busy with disk access, which takes longer than a signature.
 */
export function issuePlayerToken(
  { secrets, addresses }: Core,
  user_uid: string,
  game_uid: string,
  now: Date,
  seconds = PLAYER_TOKEN_SECONDS,
) {
  const { kid, private_key } = currentKey(secrets, now)
  const iat = Math.floor(now.getTime() / 1000)
  const exp = iat + seconds
  const claims = {
    iss: addresses.issuer,
    aud: audience(game_uid),
    sub: user_uid,
    jti: uuidv7(),
    iat,
    exp,
  }
  const signed = `${encode({ alg: ALGORITHM, kid, typ: 'JWT' })}.${encode(claims)}`
  return {
    token: `${signed}.${sign(null, Buffer.from(signed), private_key).toString('base64url')}`,
    expires_at: new Date(exp * 1000),
  }
}

/** The uid of the player, or undefined for a token that is forged, expired or another game's. */
export function verifyPlayerToken(
  core: Core,
  token: string,
  game_uid: string,
  now: Date,
): string | undefined {
  const { aud, sub } = readValidClaims(core, token, now)
  return aud === audience(game_uid) && typeof sub === 'string' ? sub : undefined
}

/** Whether this is a valid player token, of whatever game. */
export const isPlayerToken = (core: Core, token: string, now: Date): boolean =>
  readValidClaims(core, token, now).sub !== undefined

/** The claims of a token that the service signed and that has not expired; none of any other. */
function readValidClaims(
  { secrets, addresses }: Core,
  token: string,
  now: Date,
): Record<string, unknown> {
  const [head, body, signature, ...more] = token.length <= MAX_TOKEN_LENGTH ? token.split('.') : []
  if (!head || !body || !signature || more.length) return {}
  const { alg, kid } = decode(head)
  const key =
    alg === ALGORITHM
      ? keysAround(secrets, now).find((candidate) => candidate.kid === kid)
      : undefined
  if (!key) return {}
  // The claims are read only after the signature was verified.
  const signed = Buffer.from(`${head}.${body}`)
  const bytes = Buffer.from(signature, 'base64url')
  // The last character has four unused bits; a token has one spelling.
  if (bytes.toString('base64url') !== signature) return {}
  if (!verify(null, signed, key.public_key, bytes)) return {}
  const claims = decode(body)
  const { iss, exp } = claims
  const valid = iss === addresses.issuer && typeof exp === 'number' && exp * 1000 > now.getTime()
  return valid ? claims : {}
}

function decode(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
  } catch {
    return {}
  }
}
