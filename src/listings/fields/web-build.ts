import type { Addresses, Config } from '../../core/runtime/config.ts'
import { MIB } from '../../core/runtime/units.ts'

/** Why a build for browsers cannot be played in the store; null if it can. */
export const webProblems = ['no_index', 'too_many_files', 'too_large', 'file_too_large'] as const
export type WebProblem = (typeof webProblems)[number]

export type WebWarning = {
  /**
   * - `absolute`: leads out of the build. On a server of its own the game may have been at the top;
   *   in the store its files have the address of the build before them.
   * - `case`: spelled with other letters than the entry, which disks may ignore and a zip does not.
   */
  kind: 'absolute' | 'case'
  /** The file that refers to another one. */
  file: string
  reference: string
  /** The entry that was probably meant. */
  entry?: string
}

/** What the check of a build for browsers found. */
export type WebReport = {
  problem: WebProblem | null
  /** The file that is too large, or how many files or bytes there are. */
  detail: string
  warnings: WebWarning[]
}

/** How much a build may have to be played; operators set other limits. */
export type WebLimits = { max_files: number; max_bytes: number; max_file_bytes: number }

export const defaultWebLimits: WebLimits = {
  max_files: 20_000,
  max_bytes: 2048 * MIB,
  max_file_bytes: 500 * MIB,
}

type LimitSettings = 'play_max_files' | 'play_max_unpacked_mib' | 'play_max_file_mib'

/** The limits that the operator has set. */
export const webLimits = (config: Pick<Config, LimitSettings>): WebLimits => ({
  max_files: config.play_max_files,
  max_bytes: config.play_max_unpacked_mib * MIB,
  max_file_bytes: config.play_max_file_mib * MIB,
})

/** Where listings can be played without being installed. */
export const playables = ['browser'] as const

/** None in a store without origins for games. */
export const playablePlaces = (
  { play_url }: Pick<Addresses, 'play_url'>,
  has_playable_build: boolean,
): (typeof playables)[number][] => (play_url && has_playable_build ? ['browser'] : [])

export const INDEX = 'index.html'

/** What macOS adds to zips besides the files. */
const MAC_EXTRAS = /^__MACOSX\/|(^|\/)\.DS_Store$/

/**
 * The folder that is played: the top of the zip, or the only folder in it, whichever has an
 * `index.html`. Undefined if neither has.
 */
export function playedFolder(all_paths: readonly string[]): string | undefined {
  const paths = all_paths.filter((path) => !MAC_EXTRAS.test(path))
  if (paths.includes(INDEX)) return ''
  const folders = new Set(paths.map((path) => path.slice(0, path.indexOf('/') + 1)))
  const [only = ''] = folders
  return folders.size === 1 && paths.includes(`${only}${INDEX}`) ? only : undefined
}
