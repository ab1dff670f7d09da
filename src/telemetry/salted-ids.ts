import { createCache } from '../core/runtime/cache.ts'
import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { sha256, uuidOf } from '../core/security/crypto.ts'

const MAX_CACHED_SALTS = 10_000
const salts = perCore(() => createCache<string>({ max_entries: MAX_CACHED_SALTS }))

/**
 * The salt of a game. It is derived from the service's secret, so a copy of the database alone is
 * not enough to test guessed device ids.
 */
function saltOf(core: Core, game_uid: string): string {
  const cache = salts(core)
  const cached = cache.get(game_uid)
  if (cached !== undefined) return cached
  const salt = core.secrets.mac('device ids', game_uid).toString('hex')
  cache.set(game_uid, salt)
  return salt
}

/** Devices send many requests in a row; caching their hashes saves most of the work. */
const MAX_CACHED_IDS = 20_000
const ids = perCore(() => createCache<string>({ max_entries: MAX_CACHED_IDS }))

/** The stored form of a device or session id. Ids of different games cannot be correlated. */
export function saltedId(core: Core, game_uid: string, id: string): string {
  const cache = ids(core)
  const cache_key = `${game_uid}\n${id}`
  const cached = cache.get(cache_key)
  if (cached !== undefined) return cached
  const salted = uuidOf(sha256(`${saltOf(core, game_uid)}\n${id}`).toString('hex', 0, 16))
  cache.set(cache_key, inOnePiece(salted))
  return salted
}

/** A text that was joined keeps its parts in memory, several times as much as this copy. */
const inOnePiece = (ascii: string): string => Buffer.from(ascii, 'latin1').toString('latin1')

const halves = new Uint32Array(2)
const combined = new BigInt64Array(halves.buffer)

/**
 * The 64-bit key that identifies repeats of an event. A fast hash that is not cryptographic is
 * enough, because a client that constructs a collision only loses its own event.
 */
export function eventKey(build_uid: string, event_id: string): bigint {
  const text = `${build_uid} ${event_id}`
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x9e3779b1)
    a = (a << 13) | (a >>> 19)
    b = Math.imul(b ^ unit, 0x5f356495)
    b = (b << 15) | (b >>> 17)
  }
  halves[0] = avalanche(a ^ Math.imul(b ^ (b >>> 15), 0x85ebca77))
  halves[1] = avalanche(b ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae3d))
  return combined[0]!
}

/** Spreads a change of any input bit over all output bits. */
function avalanche(bits: number): number {
  const first = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  const second = Math.imul(first ^ (first >>> 15), 0x846ca68b)
  return second ^ (second >>> 16)
}
