import { type CompatRange, covers, parseVersion } from '../fields/engine-versions.ts'

export const compatStatuses = ['compatible', 'incompatible', 'unknown'] as const
export type CompatStatus = (typeof compatStatuses)[number]
export type PlatformBuild = {
  engine: string | null
  engine_version: string | null
  os: string | null
}

/** Whether a mod works with a build. A range without a platform applies to every platform. */
export function compatStatus(ranges: readonly CompatRange[], build: PlatformBuild): CompatStatus {
  const version = build.engine_version === null ? null : parseVersion(build.engine_version)
  const relevant = ranges.filter(
    (range) =>
      range.engine === build.engine && (range.platform === null || range.platform === build.os),
  )
  if (!version || relevant.length === 0) return 'unknown'
  return relevant.some((range) => covers(range, version)) ? 'compatible' : 'incompatible'
}

/** The status of a whole game: one incompatible platform outweighs all compatible ones. */
export function worstStatus(statuses: readonly CompatStatus[]): CompatStatus {
  if (statuses.includes('incompatible')) return 'incompatible'
  return statuses.length === 0 || statuses.includes('unknown') ? 'unknown' : 'compatible'
}
