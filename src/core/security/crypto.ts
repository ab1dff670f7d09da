import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')
export const hmacSha256 = (key: string | Uint8Array, data: string) =>
  createHmac('sha256', key).update(data).digest()

/** Compares in constant time; hashing first does the same for values of unequal length. */
export const sameBytes = (a: string | Uint8Array, b: string | Uint8Array) =>
  timingSafeEqual(sha256(a), sha256(b))

const latest = { now: 0, counter: 0 }

/**
 * A UUID of version 7. It is ordered by time, so inserts go to the end of an index. Those that a
 * process makes in the same millisecond are in their order too, by the counter of RFC 9562, 6.2,
 * which has room for 3,000 of them.
 */
export function uuidv7(now = Date.now()): string {
  const bytes = randomBytes(16)
  latest.counter = now === latest.now ? latest.counter + 1 : bytes.readUInt16BE(6) & 0x3ff
  latest.now = now
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt16BE(0x7000 | (latest.counter & 0xfff), 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return uuidOf(bytes.toString('hex'))
}

/** Puts the dashes of a UUID between its 32 hexadecimal digits. */
export const uuidOf = (hex: string) =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-` +
  `${hex.slice(16, 20)}-${hex.slice(20)}`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const isUuid = (text: string) => UUID.test(text)

export type TokenPrefix =
  | 'svc_sess_'
  | 'svc_set_'
  | 'svc_play_'
  | 'svc_mcp_'
  | 'svc_dat_'
  | 'svc_dsk_'
  | 'svc_oat_'
  | 'svc_ort_'
  | 'svc_inv_'
  | 'svc_dev_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 43
const CHECK_LENGTH = 6

/**
 * A random credential. Its CRC-32 suffix lets scanners recognize a leaked one, and lets us reject a
 * mistyped one without a query.
 */
export function newToken(prefix: TokenPrefix): string {
  const body = prefix + randomText(BODY_LENGTH)
  return body + checkDigits(body)
}

export function isToken(prefix: TokenPrefix, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + BODY_LENGTH + CHECK_LENGTH)
    return false
  return checkDigits(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)
}

/** Uniform over the alphabet: bytes beyond the last multiple of its length are discarded. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length))
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  return text
}

function checkDigits(body: string): string {
  let sum = crc32(body)
  let digits = ''
  for (let i = 0; i < CHECK_LENGTH; i++) {
    digits = ALPHABET[sum % 62] + digits
    sum = Math.floor(sum / 62)
  }
  return digits
}

/** The creation time of a version 7 UUID, in milliseconds. */
export const uuidTime = (uuid: string) => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)
