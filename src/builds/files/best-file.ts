import { osAliases } from '../../listings/fields/platforms.ts'
import { archAliases } from '../builds/fields.ts'
import { compareBuildVersions } from '../channels/build-order.ts'

/** What a caller asks for; without an app, the main one comes before others. */
export type FileFilters = {
  build_id?: string | undefined
  os?: string | undefined
  arch?: string | undefined
  channel?: string | undefined
  app?: string | undefined
}

type ChosenFile = {
  build_id: string
  app: string
  version: string
  os: string
  arch: string
  scan: string
  channels: string[]
}

const canonical = (aliases: Record<string, string>, name: string) =>
  Object.hasOwn(aliases, name) ? aliases[name]! : name

/**
 * The main app comes before others, and a file for the requested system and architecture before one
 * for all of them. Of the rest, the newest build is taken.
 */
export function bestFile<File extends ChosenFile>(
  files: readonly File[],
  { build_id, channel, app, ...platform }: FileFilters,
): File | undefined {
  const os = platform.os && canonical(osAliases, platform.os)
  const arch = platform.arch && canonical(archAliases, platform.arch)
  const matches = files.filter(
    (file) =>
      file.scan === 'clean' &&
      (!channel || file.channels.includes(channel)) &&
      (app === undefined || file.app === app) &&
      (!build_id || file.build_id === build_id.toLowerCase()) &&
      (!os || file.os === os || runsOnEverySystem(file)) &&
      (!arch || file.arch === arch || runsOnEveryArchitecture(file)),
  )
  const rank = (file: File) =>
    (file.app === '' ? 0 : 4) +
    (os && runsOnEverySystem(file) ? 2 : 0) +
    (arch && runsOnEveryArchitecture(file) ? 1 : 0)
  return matches.toSorted((a, b) => rank(a) - rank(b) || compareNewestFirst(a, b))[0]
}

/** By version, then by registration: the uids of builds are ordered by the time they were made. */
function compareNewestFirst(a: ChosenFile, b: ChosenFile): number {
  return (
    compareBuildVersions(b.version, a.version) ||
    (a.build_id === b.build_id ? 0 : a.build_id < b.build_id ? 1 : -1) ||
    Number(runsOnEveryArchitecture(a)) - Number(runsOnEveryArchitecture(b))
  )
}

/** A file without a system or architecture has made no promise, so it is offered to all. */
const runsOnEverySystem = ({ os }: ChosenFile) => os === ''
const runsOnEveryArchitecture = ({ arch }: ChosenFile) => arch === 'universal' || arch === ''
