import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Core } from '../core/core.ts'
import { sha256, uuidv7 } from '../core/crypto.ts'
import { once } from '../core/once.ts'
import type { Secrets } from '../core/secrets.ts'

/** The token by which a running game says who plays it: for one game, for an hour, and readable by anyone with our public keys. */
export const PLAYER_TOKEN_SECONDS = 3600
const ALGORITHM = 'EdDSA'
/** A key signs for this long. The one before and the one after are published too, so nobody meets a key they could not have known. */
const PERIOD_SECONDS = 30 * 86_400
/** What comes before the 32 bytes of an Ed25519 key in PKCS #8. */
const KEY_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

type SigningKey = { kid: string; private_key: KeyObject; public_key: KeyObject; x: string }

const jose = once(() => import('jose'))
const made = new WeakMap<Secrets, Map<number, SigningKey>>()

/** Keys follow from the service's own secret and the time alone: they stand nowhere, and every process has the same. */
function keyOf(secrets: Secrets, period: number): SigningKey {
  const known = made.get(secrets)?.get(period)
  if (known) return known
  const seed = secrets.mac('player token key', String(period))
  const private_key = createPrivateKey({ key: Buffer.concat([KEY_HEADER, seed]), format: 'der', type: 'pkcs8' })
  const public_key = createPublicKey(private_key)
  const { x } = public_key.export({ format: 'jwk' }) as { x: string }
  const key = { kid: sha256(x).toString('base64url').slice(0, 16), private_key, public_key, x }
  made.set(secrets, new Map([...(made.get(secrets) ?? []), [period, key]]))
  return key
}

const periodOf = (now: Date) => Math.floor(now.getTime() / 1000 / PERIOD_SECONDS)
const keysAround = (secrets: Secrets, now: Date) => [-1, 0, 1].map((offset) => keyOf(secrets, periodOf(now) + offset))
const audience = (game_uid: string) => `game:${game_uid}`

export async function issuePlayerToken({ secrets, addresses }: Core, user_uid: string, game_uid: string, now: Date) {
  const { SignJWT } = await jose()
  const { kid, private_key } = keyOf(secrets, periodOf(now))
  const issued = Math.floor(now.getTime() / 1000)
  const expires = issued + PLAYER_TOKEN_SECONDS
  const token = await new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(addresses.issuer)
    .setAudience(audience(game_uid))
    .setSubject(user_uid)
    .setJti(uuidv7())
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .sign(private_key)
  return { token, expires_at: new Date(expires * 1000) }
}

/** Who a token of this game names, or nobody: another game's, an expired one and a forged one are all the same. */
export async function verifyPlayerToken(
  { secrets, addresses }: Core,
  token: string,
  game_uid: string,
  now: Date,
): Promise<string | undefined> {
  const { jwtVerify } = await jose()
  const keys = keysAround(secrets, now)
  const find = ({ kid }: { kid?: string }) => keys.find((key) => key.kid === kid)?.public_key ?? Promise.reject(new Error('unknown key'))
  const wanted = {
    algorithms: [ALGORITHM],
    issuer: addresses.issuer,
    audience: audience(game_uid),
    requiredClaims: ['sub', 'exp'],
    currentDate: now,
  }
  const verified = await jwtVerify(token, find, wanted).catch(() => undefined)
  return verified?.payload.sub
}

export const publicKeys = (secrets: Secrets, now: Date) =>
  keysAround(secrets, now).map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', alg: ALGORITHM, use: 'sig', kid, x }))
