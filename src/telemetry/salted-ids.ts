import type { Core } from '../core/runtime/core.ts'
import { sha256 } from '../core/security/crypto.ts'

const MOST_SALTS = 10_000
const salts = new WeakMap<Core, Map<string, string>>()

/** The salt of a game comes from the key of the service: whoever has only the database cannot try out device ids. */
function saltOf(core: Core, game_uid: string): string {
  const known = salts.get(core) ?? new Map<string, string>()
  salts.set(core, known)
  const salt = known.get(game_uid) ?? core.secrets.mac('device ids', game_uid).toString('hex')
  if (known.size >= MOST_SALTS) known.clear()
  known.set(game_uid, salt)
  return salt
}

/** Devices and runs send again and again; those heard of lately need not be hashed anew. */
const MOST_LATELY = 20_000
const lately = new WeakMap<Core, Map<string, string>>()

/** What is kept of a device or session id: the same for the same game, and nothing alike for another. */
export function saltedId(core: Core, game_uid: string, id: string): string {
  const known = lately.get(core) ?? new Map<string, string>()
  lately.set(core, known)
  const name = `${game_uid}\n${id}`
  const found = known.get(name)
  if (found !== undefined) return found
  const made = asUuid(sha256(`${saltOf(core, game_uid)}\n${id}`))
  if (known.size >= MOST_LATELY) known.clear()
  known.set(name, made)
  return made
}

const halves = new Uint32Array(2)
const whole = new BigInt64Array(halves.buffer)

/**
 * What an event is recognised by when it comes again: 64 bits, mixed well. Nothing here is secret, and whoever finds two ids that are alike has
 * only lost an event of their own; so it need not be slow.
 */
export function eventKey(build_uid: string, event_id: string): bigint {
  const text = `${build_uid} ${event_id}`
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x9e3779b1)
    a = (a << 13) | (a >>> 19)
    b = Math.imul(b ^ unit, 0x5f356495)
    b = (b << 15) | (b >>> 17)
  }
  halves[0] = finish(a ^ Math.imul(b ^ (b >>> 15), 0x85ebca77))
  halves[1] = finish(b ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae3d))
  return whole[0]!
}

function finish(bits: number): number {
  const once = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
  return twice ^ (twice >>> 16)
}

function asUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
