import type { AssetType } from './fields.ts'

/**
 * What editors with a store tab install. These names are theirs: the engine as listings call it, the file that makes a folder a project, and
 * the folder add-ons live in.
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
export type PackageType = (typeof packageTypes)[number]

/** What a package is offered as: a zip that opens as a project is a template, whatever its listing is. */
export const packageCategories = ['plugin', 'dev_asset', 'tool', 'template'] as const
export type PackageCategory = (typeof packageCategories)[number]

/** Of game assets only projects are for editors. */
export function categoryOf(
  asset_type: AssetType,
  is_project: boolean,
): PackageCategory | undefined {
  if (!packageTypes.some((type) => type === asset_type)) return undefined
  return is_project ? 'template' : packageCategories.find((category) => category === asset_type)
}

/** What an editor makes of a zip. */
export type PackageShape = {
  /** It opens as a project, and is offered as a template. */
  has_project_file: boolean
  /** Everything lies in one folder, which editors leave out when they install. */
  has_wrapper: boolean
  /** Each folder has an entry of its own, without which older editors skip what is in it. */
  has_folders: boolean
}

/** From the names in a zip; folders end with a slash. */
export function packageShape(paths: readonly string[]): PackageShape {
  const files = paths.filter((path) => !path.endsWith('/'))
  const folders = new Set(paths.filter((path) => path.endsWith('/')))
  const tops = new Set(paths.map((path) => path.slice(0, path.indexOf('/') + 1)))
  const [top] = tops
  const has_wrapper = files.length > 0 && tops.size === 1 && top !== '' && top !== `${ADDONS}/`
  return {
    // At the top, or in the wrapper: others are the examples of an add-on.
    has_project_file:
      files.includes(PROJECT_FILE) || (has_wrapper && files.includes(`${top}${PROJECT_FILE}`)),
    has_wrapper,
    has_folders: files.every((path) => foldersOf(path).every((folder) => folders.has(folder))),
  }
}

const foldersOf = (path: string) =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))
