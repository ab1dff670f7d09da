import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { DAY } from '../../core/runtime/units.ts'
import { sha256 } from '../../core/security/crypto.ts'
import type { Secrets } from '../../core/security/secrets.ts'

export const ALGORITHM = 'EdDSA'
/**
 * How long a key signs. The previous and the next key are published too, so that verifiers with a
 * cached key set know every key in use.
 */
const PERIOD_SECONDS = 30 * DAY
/** The PKCS #8 header before the 32 bytes of an Ed25519 key. */
const KEY_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

type SigningKey = { kid: string; private_key: KeyObject; public_key: KeyObject; x: string }

const derivedKeys = new WeakMap<Secrets, Map<number, SigningKey>>()

/** Keys are derived from the service's secret and the time, so every process has the same ones. */
function signingKey(secrets: Secrets, period: number): SigningKey {
  const derived = derivedKeys.get(secrets) ?? new Map<number, SigningKey>()
  const known = derived.get(period)
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
  derivedKeys.set(secrets, derived.set(period, key))
  return key
}

const periodOf = (now: Date) => Math.floor(now.getTime() / 1000 / PERIOD_SECONDS)
/** The keys that verifiers know. */
export const keysAround = (secrets: Secrets, now: Date) =>
  [-1, 0, 1].map((offset) => signingKey(secrets, periodOf(now) + offset))

/** The key that signs now. */
export const currentKey = (secrets: Secrets, now: Date) => signingKey(secrets, periodOf(now))

export const publicKeys = (secrets: Secrets, now: Date) =>
  keysAround(secrets, now).map(({ kid, x }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: ALGORITHM,
    use: 'sig',
    kid,
    x,
  }))
