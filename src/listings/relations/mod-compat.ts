import type { CompatRange } from '../fields/engine-versions.ts'
import { type CompatStatus, compatStatus, worstStatus } from './engine-compat.ts'

/** A game that a mod is for, with the current build of each of its channels. */
export type ModdedGame = {
  uid: string
  vanity_name: string
  name: string
  /** The first engine that the game names. */
  engine: string | null
  builds: {
    channel: string
    os: string
    arch: string
    build_id: string
    engine_version: string | null
  }[]
}
export type Platform = Omit<ModdedGame['builds'][number], 'arch'> & {
  /** Absent if the files do not name one. */
  arch?: string
  status: CompatStatus
}
export type ModCompat = {
  game: { uid: string; vanity_name: string; name: string }
  status: CompatStatus
  platforms: Platform[]
}

/**
 * Whether a mod works with each build of its games. The status of a game is that of its worst
 * build. Builds whose files name no system count for it, but are no platform.
 */
export function modCompat(
  ranges: readonly CompatRange[],
  games: readonly ModdedGame[],
): ModCompat[] {
  return games.map(({ engine, builds, ...game }) => {
    const rated = builds.map(({ arch, ...build }) => ({
      ...build,
      ...(arch ? { arch } : {}),
      status: compatStatus(ranges, { ...build, engine }),
    }))
    const status = worstStatus(rated.map((build) => build.status))
    return { game, status, platforms: rated.filter(({ os }) => os !== '') }
  })
}
