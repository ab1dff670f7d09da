import type { IncomingHttpHeaders } from 'node:http'
import type { Scheme } from '../core/http/route.ts'
import { createCache } from '../core/runtime/cache.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { SECOND_MS } from '../core/runtime/units.ts'
import { isUuid } from '../core/security/crypto.ts'
import { gamesOfBuilds } from './events/queries.ts'

/**
 * A running game, as it identifies itself. The ids are public and prove nothing, so a game may send
 * data but never read any.
 */
export type Game = { game_uid: string; build_uid: string }

const MAX_CACHED_BUILDS = 20_000
const gameCache = perCore(() =>
  createCache<string>({ max_entries: MAX_CACHED_BUILDS, ttl_ms: SECOND_MS }),
)

/** The ids in the headers of a request. */
export function sentIds(headers: IncomingHttpHeaders): { app_id?: string; build_id?: string } {
  const { 'x-app-id': app_id, 'x-build-id': build_id } = headers
  return {
    ...(typeof app_id === 'string' && { app_id: app_id.trim() }),
    ...(typeof build_id === 'string' && { build_id: build_id.trim() }),
  }
}

/** Null without both headers: older clients put the ids into the body. */
export const game: Scheme<Game | null> = {
  name: 'game',
  security: [{ game_app: [], game_build: [] }],
  errors: ['GAME_NOT_AUTHENTICATED'],
  async identify(core, { headers }) {
    const { app_id, build_id } = sentIds(headers)
    if (app_id === undefined || build_id === undefined) return null
    return identifyGame(core, app_id, build_id)
  },
}

/** A build of a game. The error does not reveal which of the two ids is wrong. */
export async function identifyGame(core: Core, app_id: string, build_id: string): Promise<Game> {
  const game_uid = app_id.toLowerCase()
  const build_uid = build_id.toLowerCase()
  if (!isUuid(game_uid) || !isUuid(build_uid) || (await gameOf(core, build_uid)) !== game_uid)
    return refuse('GAME_NOT_AUTHENTICATED')
  return { game_uid, build_uid }
}

/** Cached for a second: a build never changes its game, but either may be gone by then. */
async function gameOf(core: Core, build_uid: string): Promise<string | undefined> {
  const cached = gameCache(core).get(build_uid)
  if (cached) return cached
  const [row] = await gamesOfBuilds(core.sql, [build_uid])
  if (row) gameCache(core).set(build_uid, row.game_uid)
  return row?.game_uid
}
