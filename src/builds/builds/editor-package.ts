import { categoryOf, editorEngines, type PackageCategory } from '../../listings/fields/editor.ts'
import { firstMinors, minorWords } from '../../listings/fields/editor-versions.ts'
import type { AssetType } from '../../listings/fields/fields.ts'
import type { CompatRange } from '../../listings/fields/versions.ts'
import { compareBuilds, type VersionedBuild } from '../channels/build-order.ts'

/** A zip that was released on the stable channel and not taken back. */
export type PackageVersion = VersionedBuild & {
  file_uid: string
  engine_version: string | null
  has_project_file: boolean | null
}
type Range = Pick<CompatRange, 'engine' | 'min_version' | 'max_version'>
export type EditorPackage<V> = {
  category: PackageCategory
  /** The newest first. */
  versions: V[]
  /** Those that speak of engines whose editors ask. */
  ranges: Range[]
  /** The first minor of each major it works with (listings/editor-versions.ts). */
  editors: string[]
}

/** What a listing is to editors, if anything; of the zips of one build always the same comes first. It names an engine of theirs or what it was made with, and has a zip to install. */
export function editorPackage<V extends PackageVersion>(
  asset_type: AssetType,
  all_ranges: readonly Range[],
  released: readonly V[],
): EditorPackage<V> | null {
  const versions = released.toSorted(
    (a, b) => compareBuilds(b, a) || (a.file_uid < b.file_uid ? 1 : -1),
  )
  const ranges = all_ranges.filter(({ engine }) => editorEngines.some((one) => one === engine))
  const category = versions[0] && categoryOf(asset_type, versions[0].has_project_file ?? false)
  if (
    !category ||
    (!ranges.length && versions.every(({ engine_version }) => engine_version === null))
  )
    return null
  return { category, versions, ranges, editors: minorWords(firstMinors(ranges, versions)) }
}
