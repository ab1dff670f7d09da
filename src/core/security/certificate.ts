import { connect } from 'node:tls'
import { HOUR_MS, SECOND_MS } from '../runtime/units.ts'

const CONNECT_MS = 5 * SECOND_MS
/** A certificate is renewed days before it expires, so a value of the last hour is enough. */
const REPEAT_MS = HOUR_MS

/**
 * Reads when the certificate expires that is served at an address of the operator. Undefined if
 * the address is not https or cannot be reached. An expired certificate is read as well.
 */
export function readCertificateExpiry(address: string): Promise<Date | undefined> {
  const { protocol, hostname, port } = new URL(address)
  if (protocol !== 'https:') return Promise.resolve(undefined)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      // Only its dates are read, and no data is sent.
      rejectUnauthorized: false,
    })
    const finish = (expiry?: Date) => {
      socket.destroy()
      resolve(expiry)
    }
    socket.setTimeout(CONNECT_MS, () => finish())
    socket.once('error', () => finish())
    socket.once('secureConnect', () => {
      const { valid_to } = socket.getPeerCertificate()
      const expiry = new Date(valid_to)
      finish(Number.isNaN(expiry.getTime()) ? undefined : expiry)
    })
  })
}

/** The seconds until the certificate of an address expires, read again every hour. */
export function certificateExpiry(address: () => string): () => Promise<number | undefined> {
  let read_at = Number.NEGATIVE_INFINITY
  let expiry: Promise<Date | undefined> = Promise.resolve(undefined)
  return async () => {
    if (performance.now() - read_at > REPEAT_MS) {
      read_at = performance.now()
      expiry = readCertificateExpiry(address())
    }
    const date = await expiry
    // Until it is known, the next scrape tries again.
    if (!date) read_at = Number.NEGATIVE_INFINITY
    return date && (date.getTime() - Date.now()) / SECOND_MS
  }
}
