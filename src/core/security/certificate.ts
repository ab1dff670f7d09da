import { HOUR_MS, SECOND_MS } from '../runtime/units.ts'
import { readCertificateEnd } from './outbound.ts'

/** A certificate is renewed days before it expires, so a value of the last hour is enough. */
const REPEAT_MS = HOUR_MS

/**
 * The seconds until the certificate expires that is served at an address of the operator, read
 * again every hour. Undefined if the address is not https or cannot be reached.
 */
export function certificateExpiry(address: () => string): () => Promise<number | undefined> {
  let read_at = Number.NEGATIVE_INFINITY
  let end: Promise<Date | undefined> = Promise.resolve(undefined)
  return async () => {
    const { protocol, origin } = new URL(address())
    if (protocol !== 'https:') return undefined
    if (performance.now() - read_at > REPEAT_MS) {
      read_at = performance.now()
      end = readCertificateEnd(origin, { trusted_origins: [origin] }).catch(() => undefined)
    }
    const date = await end
    // Until it is known, the next call tries again.
    if (!date) read_at = Number.NEGATIVE_INFINITY
    return date && (date.getTime() - Date.now()) / SECOND_MS
  }
}
