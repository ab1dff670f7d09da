import { authorizeFileAccess } from '../builds/channels/access.ts'
import { readVisibleFiles } from '../builds/files/queries.ts'
import type { Sql } from '../core/database/sql.ts'
import { createCache } from '../core/runtime/cache.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal } from '../core/runtime/errors.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { isOpenToAnyone } from '../downloads/authorize-download.ts'
import { readPrice } from '../downloads/queries.ts'
import { readHolding } from '../library/copy-queries.ts'
import { onModeration } from '../listings/moderated/epoch.ts'
import { readPlayer, readWebBuild, type WebBuild, wasDelivered } from './queries.ts'

export type PlayedBuild = WebBuild & {
  /** Anyone may play it, without an account. */
  is_open: boolean
}

/** A game asks for its files one by one; what was true half a second ago decides. */
const CACHE_MS = 500
const MAX_CACHED = 10_000

const cacheOf = perCore((core) => {
  const cache = createCache<Promise<PlayedBuild | undefined>>({
    max_entries: MAX_CACHED,
    ttl_ms: CACHE_MS,
  })
  onModeration(core, () => cache.clear())
  return cache
})

/** Who plays, and the session that must still be there, unless it is a program. */
export type PlayingPerson = { user_uid: string; session_uid: string | null }

/** The build, if the person may play it: signed out for null. */
export function findPlayable(
  core: Core,
  game_uid: string,
  file_uid: string,
  person: PlayingPerson | null,
): Promise<PlayedBuild | undefined> {
  const cache = cacheOf(core)
  const key = `${game_uid}/${file_uid}/${person?.user_uid ?? ''}/${person?.session_uid ?? ''}`
  const cached = cache.get(key)
  if (cached) return cached
  const reading = readPlayable(core, game_uid, file_uid, person)
  cache.set(key, reading)
  reading.catch(() => cache.delete(key))
  return reading
}

async function readPlayable(
  { sql }: Core,
  game_uid: string,
  file_uid: string,
  person: PlayingPerson | null,
): Promise<PlayedBuild | undefined> {
  const build = await readWebBuild(sql, game_uid, file_uid)
  if (!build) return undefined
  const price = await readPrice(sql, game_uid)
  const is_free = price.price_cents === 0
  const is_open =
    isOpenToAnyone(price, build) && (await seesFile(sql, game_uid, file_uid, null)) !== undefined
  if (is_open) return { ...build, is_open }
  if (!person) return undefined
  const access = await seesFile(sql, game_uid, file_uid, person)
  if (!access) return undefined
  const may_play =
    access.all || is_free || Boolean((await readHolding(sql, person.user_uid, game_uid))?.source)
  return may_play ? { ...build, is_open } : undefined
}

/**
 * The channels that the person sees, if the file is on one of them, or was a short while ago: a
 * game that is being played goes on after a release.
 */
async function seesFile(
  sql: Sql,
  game_uid: string,
  file_uid: string,
  person: PlayingPerson | null,
) {
  try {
    const who = person && (await readPlayer(sql, person))
    if (!who && person) return undefined
    const { access } = await authorizeFileAccess(sql, who, game_uid)
    const [file] = await readVisibleFiles(sql, game_uid, access, { file_uid })
    return file || (await wasDelivered(sql, game_uid, file_uid, access.channels))
      ? access
      : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
