import { sign } from 'node:crypto'
import { ALGORITHM, currentKey } from '../accounts/sessions/signing-keys.ts'
import type { Secrets } from '../core/security/secrets.ts'

const TYPE = 'manifest+jws'
const encode = (text: string) => Buffer.from(text).toString('base64url')

/**
 * A detached signature (RFC 7515, appendix F): a compact JWS without its payload, which is the
 * canonical JSON of the manifest. The public keys are those of player tokens; the type in the
 * header keeps both apart.
 */
export function signManifest(secrets: Secrets, payload: string, now: Date): string {
  const { kid, private_key } = currentKey(secrets, now)
  const header = encode(JSON.stringify({ alg: ALGORITHM, kid, typ: TYPE }))
  const signed = Buffer.from(`${header}.${encode(payload)}`)
  return `${header}..${sign(null, signed, private_key).toString('base64url')}`
}
