import { categoryOf, editorEngines, type PackageCategory } from '../../listings/fields/editor.ts'
import { firstMinors, minorWords } from '../../listings/fields/editor-versions.ts'
import type { CompatRange } from '../../listings/fields/engine-versions.ts'
import type { AssetType } from '../../listings/fields/fields.ts'
import { compareBuilds, type VersionedBuild } from '../channels/build-order.ts'

/** A clean zip that is released on the stable channel. */
export type PackageVersion = VersionedBuild & {
  file_uid: string
  engine_version: string | null
  has_project_file: boolean | null
}
type EngineRange = Pick<CompatRange, 'engine' | 'min_version' | 'max_version'>

export type EditorPackage<V> = {
  category: PackageCategory
  /** Newest first. */
  versions: V[]
  /** The compatibility ranges for engines whose editors have an asset library. */
  ranges: EngineRange[]
  /** The first compatible minor version of each major (listings/fields/editor-versions.ts). */
  editors: string[]
}

/**
 * The listing as an engine editor's asset library shows it, or null if it is not installable there.
 * It needs a released zip and a supported engine, given by a range or by a build's engine version.
 */
export function editorPackage<V extends PackageVersion>(
  asset_type: AssetType,
  all_ranges: readonly EngineRange[],
  released: readonly V[],
): EditorPackage<V> | null {
  // The zips of one build are ordered by file uid, so that the same one always comes first.
  const versions = released.toSorted(
    (a, b) => compareBuilds(b, a) || (a.file_uid < b.file_uid ? 1 : -1),
  )
  const ranges = all_ranges.filter((range) =>
    editorEngines.some((engine) => engine === range.engine),
  )
  const newest = versions[0]
  const category = newest && categoryOf(asset_type, newest.has_project_file ?? false)
  const has_engine =
    ranges.length > 0 || versions.some(({ engine_version }) => engine_version !== null)
  if (!category || !has_engine) return null
  return { category, versions, ranges, editors: minorWords(firstMinors(ranges, versions)) }
}
