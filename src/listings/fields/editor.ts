import type { AssetType } from './fields.ts'

/**
 * Engines whose editor can install packages from an asset store. The names of the project file and
 * of the add-ons folder are defined by the editor.
 */
export const editorEngines = ['godot'] as const
export const PROJECT_FILE = 'project.godot'
const ADDONS = 'addons'

export const packageTypes = [
  'plugin',
  'dev_asset',
  'tool',
  'game_asset',
] as const satisfies readonly AssetType[]

/**
 * The categories of packages in the editor. A zip that contains a project is a template, whatever
 * the type of its listing.
 */
export const packageCategories = ['plugin', 'dev_asset', 'tool', 'template'] as const
export type PackageCategory = (typeof packageCategories)[number]

/** Undefined for types that editors do not install and for game assets that are no project. */
export function categoryOf(
  asset_type: AssetType,
  is_project: boolean,
): PackageCategory | undefined {
  if (!packageTypes.some((type) => type === asset_type)) return undefined
  return is_project ? 'template' : packageCategories.find((category) => category === asset_type)
}

/** The properties of a zip that matter when an editor installs it. */
export type PackageShape = {
  /** The zip contains a project and is offered as a template. */
  has_project_file: boolean
  /** Everything is in one folder, which editors strip when they install the zip. */
  has_wrapper: boolean
  /** Every folder has its own entry. Older editors skip the files of folders without one. */
  has_folders: boolean
}

/** Determines the shape from the paths in a zip. Paths of folders end with a slash. */
export function packageShape(paths: readonly string[]): PackageShape {
  const files = paths.filter((path) => !path.endsWith('/'))
  const folders = new Set(paths.filter((path) => path.endsWith('/')))
  const tops = new Set(paths.map((path) => path.slice(0, path.indexOf('/') + 1)))
  const [top] = tops
  const has_wrapper = files.length > 0 && tops.size === 1 && top !== '' && top !== `${ADDONS}/`
  return {
    // Project files in deeper folders belong to the examples of an add-on.
    has_project_file:
      files.includes(PROJECT_FILE) || (has_wrapper && files.includes(`${top}${PROJECT_FILE}`)),
    has_wrapper,
    has_folders: files.every((path) => foldersOf(path).every((folder) => folders.has(folder))),
  }
}

const foldersOf = (path: string) =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))
