import type { Core } from '../../core/runtime/core.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { sameBytes, uuidOf, uuidTime, uuidv7 } from '../../core/security/crypto.ts'

/** How long a person may take to answer. */
export const CHALLENGE_SECONDS = 10 * MINUTE
const NONCE_BYTES = 16

/** Creating a passkey is bound to its person; signing in does not know the person yet. */
export type ChallengePurpose = `create for ${string}` | 'sign in'

const signature = ({ secrets }: Pick<Core, 'secrets'>, purpose: ChallengePurpose, nonce: string) =>
  secrets.mac('passkey challenge', `${purpose} ${nonce}`)

/** In base64url: the nonce, whose first bits are the time, and a signature. */
export function newChallenge(core: Pick<Core, 'secrets'>, purpose: ChallengePurpose): string {
  const nonce = uuidv7()
  const bytes = Buffer.from(nonce.replaceAll('-', ''), 'hex')
  return Buffer.concat([bytes, signature(core, purpose, nonce)]).toString('base64url')
}

/** The nonce of a challenge that this service made for the purpose and that has not expired. */
export function readChallenge(
  core: Pick<Core, 'secrets'>,
  purpose: ChallengePurpose,
  challenge: string,
  now: Date,
): string | undefined {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length <= NONCE_BYTES) return undefined
  const nonce = uuidOf(bytes.subarray(0, NONCE_BYTES).toString('hex'))
  if (!sameBytes(signature(core, purpose, nonce), bytes.subarray(NONCE_BYTES))) return undefined
  const age_ms = now.getTime() - uuidTime(nonce)
  return age_ms < CHALLENGE_SECONDS * 1000 ? nonce : undefined
}
