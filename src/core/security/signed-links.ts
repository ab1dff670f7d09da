import type { Core } from '../runtime/core.ts'
import { refuse } from '../runtime/errors.ts'
import { explain } from '../runtime/reasons.ts'
import { SECOND_MS } from '../runtime/units.ts'
import { sameBytes } from './crypto.ts'

/** What a link opens: the kind of link, and the parts that name the thing. */
type LinkTarget = { purpose: string; parts: readonly string[] }
type LinkQuery = { expires: string; signature: string }

const signatureOf = ({ secrets }: Core, { purpose, parts }: LinkTarget, expires: number) =>
  secrets.mac(purpose, [...parts, expires].join('\n')).toString('base64url')

/** The query of a link that opens its target until it expires, to anyone who has the link. */
export const signedQuery = (core: Core, target: LinkTarget, expires: number): string =>
  `expires=${expires}&signature=${signatureOf(core, target, expires)}`

/** An expired link has an error of its own, because the client can request a new one. */
export function checkSignedQuery(
  core: Core,
  target: LinkTarget,
  { expires, signature }: LinkQuery,
  now: Date,
): void {
  const is_valid =
    /^\d{1,12}$/.test(expires) && sameBytes(signatureOf(core, target, Number(expires)), signature)
  if (!is_valid) refuse('NOT_FOUND')
  if (Number(expires) * SECOND_MS <= now.getTime())
    refuse(
      'FORBIDDEN',
      undefined,
      explain('link_expired', 'This link has expired; request a new one'),
    )
}
