import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'

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

/** What is kept of a device or session id: the same for the same game, and nothing alike for another. */
export const saltedId = (core: Core, game_uid: string, id: string): string => asUuid(sha256(`${saltOf(core, game_uid)}\n${id}`))

/** What an event is recognised by when it comes again. */
export const eventKey = (build_uid: string, event_id: string): bigint => sha256(`${build_uid}\n${event_id}`).readBigInt64BE()

function asUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
