import type { Core } from '../../core/runtime/core.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isUuid, sameBytes } from '../../core/security/crypto.ts'

export const RESET_SECONDS = HOUR
/** Leaves the first mail time to arrive, and protects mailboxes from being flooded. */
export const RESET_RESEND_SECONDS = 300

const signature = ({ secrets }: Core, nonce: string) =>
  secrets.mac('password reset', nonce).toString('base64url')

/** The token in the link is derived from the nonce, so it is stored in no table and no queue. */
export const resetToken = (core: Core, nonce: string) => `${nonce}.${signature(core, nonce)}`

/** The nonce of a token that this service issued. */
export function readResetToken(core: Core, token: string): string | undefined {
  const [nonce = '', received = ''] = token.trim().split('.')
  return isUuid(nonce) && sameBytes(signature(core, nonce.toLowerCase()), received)
    ? nonce.toLowerCase()
    : undefined
}
