import { createHmac, timingSafeEqual } from 'node:crypto'

// Verifies the header X-Delivery-Signature of webhooks. One file without dependencies, for Node 18
// or newer.

const DEFAULT_TOLERANCE_SECONDS = 300
const MAX_HEADER_LENGTH = 1000

const invalid = (reason) => ({ valid: false, reason })

/** `body` is the request body exactly as it arrived, as text or bytes. */
export function verifyWebhook(body, header, signing_key, options = {}) {
  const { tolerance_seconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now() } = options
  if (typeof signing_key !== 'string' || signing_key === '')
    throw new TypeError('signing_key is required')
  if (!(tolerance_seconds >= 0)) throw new TypeError('tolerance_seconds must not be negative')
  const { time, signatures } = parse(header)
  if (time === undefined || signatures.length === 0) return invalid('malformed')
  const expected = createHmac('sha256', signing_key).update(`${time}.`).update(body).digest()
  if (!signatures.some((signature) => timingSafeEqual(Buffer.from(signature, 'hex'), expected)))
    return invalid('signature')
  const sent_at = Number(time) * 1000
  if (Math.abs(now - sent_at) > tolerance_seconds * 1000) return invalid('expired')
  return { valid: true, sent_at: new Date(sent_at) }
}

/** Reads `t=…,v1=…`. Fields of other names are for later versions and are ignored. */
function parse(header) {
  const fields =
    typeof header === 'string' && header.length <= MAX_HEADER_LENGTH ? header.split(',') : []
  const times = matches(fields, /^t=([1-9]\d{0,11})$/)
  const signatures = matches(fields, /^v1=([0-9a-f]{64})$/)
  return { time: times.length === 1 ? times[0] : undefined, signatures }
}

const matches = (fields, pattern) =>
  fields.map((field) => pattern.exec(field)?.[1]).filter((value) => value !== undefined)
