import type { Scheme } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { isUuid } from '../core/security/crypto.ts'
import { gamesOfBuilds } from './events/queries.ts'

/** A running game. It says who it is; nothing proves it, so nothing is ever told to it. */
export type Game = { game_uid: string; build_uid: string }

const KNOWN_MS = 60_000
const MOST_KNOWN = 20_000
type Known = Map<string, { game_uid: string; until: number }>
const known = new WeakMap<Core, Known>()

/** Null without the headers: older clients say who they are inside what they send. */
export const game: Scheme<Game | null> = {
  name: 'game',
  security: [{ game_app: [], game_build: [] }],
  errors: ['GAME_NOT_AUTHENTICATED'],
  async identify(core, { headers }) {
    const { 'x-app-id': app_id, 'x-build-id': build_id } = headers
    if (typeof app_id !== 'string' || typeof build_id !== 'string') return null
    return identifyGame(core, app_id.trim(), build_id.trim())
  },
}

/** A build of an app. Whichever of the two is wrong, the answer is the same. */
export async function identifyGame(core: Core, app_id: string, build_id: string): Promise<Game> {
  const [game_uid, build_uid] = [app_id.toLowerCase(), build_id.toLowerCase()]
  if (!isUuid(game_uid) || !isUuid(build_uid) || (await gameOf(core, build_uid)) !== game_uid)
    return refuse('GAME_NOT_AUTHENTICATED')
  return { game_uid, build_uid }
}

/** A build never changes its game; that it was deleted is noticed within a minute. */
async function gameOf(core: Core, build_uid: string): Promise<string | undefined> {
  const kept: Known = known.get(core) ?? new Map()
  known.set(core, kept)
  const now = Date.now()
  const found = kept.get(build_uid)
  if (found && found.until > now) return found.game_uid
  const [row] = await gamesOfBuilds(core.sql, [build_uid])
  if (kept.size >= MOST_KNOWN) kept.clear()
  if (row) kept.set(build_uid, { game_uid: row.game_uid, until: now + KNOWN_MS })
  return row?.game_uid
}
