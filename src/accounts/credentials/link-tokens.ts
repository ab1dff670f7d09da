import type { Core } from '../../core/runtime/core.ts'
import { isUuid, sameBytes } from '../../core/security/crypto.ts'

/** What a mailed link does. Its token works for nothing else. */
type LinkPurpose = 'password reset' | 'email undo' | 'second factor reset' | 'gift'

const signature = ({ secrets }: Core, purpose: LinkPurpose, nonce: string) =>
  secrets.mac(purpose, nonce).toString('base64url')

/** The token in a link is derived from the nonce, so it is stored in no table and no queue. */
export const linkToken = (core: Core, purpose: LinkPurpose, nonce: string) =>
  `${nonce}.${signature(core, purpose, nonce)}`

/** The nonce of a token that this service issued. */
export function readLinkToken(core: Core, purpose: LinkPurpose, token: string): string | undefined {
  const [text = '', received = ''] = token.trim().split('.')
  const nonce = text.toLowerCase()
  return isUuid(nonce) && sameBytes(signature(core, purpose, nonce), received) ? nonce : undefined
}
