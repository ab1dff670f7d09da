import type { Core } from '../../core/runtime/core.ts'
import { isUuid, sameBytes } from '../../core/security/crypto.ts'

export const RESET_SECONDS = 3600
/** The mail may be on its way still; and nobody's mailbox is filled by somebody else. */
export const RESET_RESEND_SECONDS = 300

const proof = ({ secrets }: Core, nonce: string) =>
  secrets.mac('password reset', nonce).toString('base64url')

/** What stands in the link: worked out from the nonce, so that it is in no table and no queue. */
export const resetToken = (core: Core, nonce: string) => `${nonce}.${proof(core, nonce)}`

/** The nonce of a link that we made. */
export function readResetToken(core: Core, token: string): string | undefined {
  const [nonce = '', given = ''] = token.trim().split('.')
  return isUuid(nonce) && sameBytes(proof(core, nonce.toLowerCase()), given)
    ? nonce.toLowerCase()
    : undefined
}
