import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Core } from '../../core/runtime/core.ts'
import { sha256, uuidv7 } from '../../core/security/crypto.ts'
import type { Secrets } from '../../core/security/secrets.ts'

/** The token by which a running game says who plays it: for one game, for an hour, and readable by anyone with our public keys. */
export const PLAYER_TOKEN_SECONDS = 3600
const ALGORITHM = 'EdDSA'
/** A key signs for this long. The one before and the one after are published too, so nobody meets a key they could not have known. */
const PERIOD_SECONDS = 30 * 86_400
/** What comes before the 32 bytes of an Ed25519 key in PKCS #8. */
const KEY_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

type SigningKey = { kid: string; private_key: KeyObject; public_key: KeyObject; x: string }

const made = new WeakMap<Secrets, Map<number, SigningKey>>()

/** Keys follow from the service's own secret and the time alone: they stand nowhere, and every process has the same. */
function keyOf(secrets: Secrets, period: number): SigningKey {
  const known = made.get(secrets)?.get(period)
  if (known) return known
  const seed = secrets.mac('player token key', String(period))
  const private_key = createPrivateKey({
    key: Buffer.concat([KEY_HEADER, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const public_key = createPublicKey(private_key)
  const { x } = public_key.export({ format: 'jwk' }) as { x: string }
  const key = { kid: sha256(x).toString('base64url').slice(0, 16), private_key, public_key, x }
  made.set(secrets, new Map([...(made.get(secrets) ?? []), [period, key]]))
  return key
}

const periodOf = (now: Date) => Math.floor(now.getTime() / 1000 / PERIOD_SECONDS)
const keysAround = (secrets: Secrets, now: Date) =>
  [-1, 0, 1].map((offset) => keyOf(secrets, periodOf(now) + offset))
const audience = (game_uid: string) => `game:${game_uid}`

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const MOST_TOKEN = 2048

/** Signed and checked where they are asked for: the threads that libraries use for this are busy with disks, and a signature is quicker than the wait. */
export function issuePlayerToken(
  { secrets, addresses }: Core,
  user_uid: string,
  game_uid: string,
  now: Date,
) {
  const { kid, private_key } = keyOf(secrets, periodOf(now))
  const iat = Math.floor(now.getTime() / 1000)
  const exp = iat + PLAYER_TOKEN_SECONDS
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

/** Who a token of this game names, or nobody: another game's, an expired one and a forged one are all the same. */
export function verifyPlayerToken(
  { secrets, addresses }: Core,
  token: string,
  game_uid: string,
  now: Date,
): string | undefined {
  const [head, body, signature, ...more] = token.length <= MOST_TOKEN ? token.split('.') : []
  if (!head || !body || !signature || more.length) return undefined
  const { alg, kid } = decode(head)
  const key =
    alg === ALGORITHM ? keysAround(secrets, now).find((one) => one.kid === kid) : undefined
  // Nothing of what it claims is looked at before it is known to be ours.
  if (
    !key ||
    !verify(
      null,
      Buffer.from(`${head}.${body}`),
      key.public_key,
      Buffer.from(signature, 'base64url'),
    )
  )
    return undefined
  const { iss, aud, sub, exp } = decode(body)
  const holds =
    iss === addresses.issuer &&
    aud === audience(game_uid) &&
    typeof exp === 'number' &&
    exp * 1000 > now.getTime()
  return holds && typeof sub === 'string' ? sub : undefined
}

function decode(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
  } catch {
    return {}
  }
}

export const publicKeys = (secrets: Secrets, now: Date) =>
  keysAround(secrets, now).map(({ kid, x }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: ALGORITHM,
    use: 'sig',
    kid,
    x,
  }))
