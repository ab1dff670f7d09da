import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { requiredText } from '../../src/listings/fields/text.ts'
import { UsageError } from '../errors.ts'
import { type App, normalizePlatform, type Platform } from '../publish/registration.ts'
import type { Ui } from '../terminal/ui.ts'
import { checked, type Item, item, link, posixPath, readTree, unreadable } from '../zip/tree.ts'
import { locate, readAsset, readCommon } from './build-file.ts'
import { held, listOf, mapping, readYaml, type YamlFile } from './yaml.ts'

export type FilesFile = App & {
  file: YamlFile
  type: string
  version: string
  engine_version: string
  platform: Platform
  symbols: string | undefined
  /** Where names in the zip begin. */
  root: string
  files: string[]
}

const keys = [
  'type',
  'asset_type',
  'version',
  'channel',
  'os',
  'arch',
  'app',
  'engine_version',
  'symbols',
  'root',
  'files',
]

/** addfiles.yml: which files make a build of one platform. */
export function readFilesFile(path: string, ui: Ui, given: Partial<Platform>): FilesFile {
  const file = readYaml(path)
  const asset = readAsset(file, 'addfiles', keys, ui)
  const listed = listOf(file, ['asset', 'files'], asset.files).map((value, i) => {
    const at = ['asset', 'files', i]
    const { file: name } = mapping(file, at, value, ['file'], ui)
    return locate(
      file,
      held(file, [...at, 'file'], (field) => requiredText(field, name, 4096)),
    )
  })
  if (listed.length === 0)
    throw new UsageError(
      `${file.place(['asset', 'files'])}: files lists nothing`,
      'slipway setfiles --files <dir> writes such a list',
    )
  const root = asset.root ? locate(file, String(asset.root)) : resolve(dirname(path))
  return {
    file,
    ...readCommon(file, asset, ui),
    platform: readPlatform(file, asset, given),
    root,
    files: listed,
  }
}

/** All three are needed, from the file or from flags. */
function readPlatform(
  file: YamlFile,
  asset: Record<string, unknown>,
  given: Partial<Platform>,
): Platform {
  const written = {
    os: asset.os,
    arch: asset.arch,
    channel: asset.channel,
    ...given,
  } as Partial<Platform>
  for (const key of ['os', 'arch', 'channel'] as const)
    if (!written[key])
      throw new UsageError(
        `${file.place(['asset'])}: ${key} is missing`,
        `write asset.${key}, or give --${key}`,
      )
  return normalizePlatform(written, `${file.path}: `)
}

/**
 * The files of the list with their folders. Names start at the root, or at the common folder of all
 * files if some are outside the root.
 */
export function listedItems({ root, files }: FilesFile): Item[] {
  const looked = files.map((path) => ({ path, stats: look(path) }))
  const top = realpathSync(root)
  const places = looked.map(({ path }) => realParent(path))
  const base = places.every((place) => place.startsWith(top + sep)) ? top : commonFolder(places)
  const items = new Map<string, Item>()
  for (const [i, { path, stats }] of looked.entries())
    for (const one of itemsAt(path, places[i]!, stats, base)) items.set(one.path, one)
  for (const { path } of [...items.values()]) addFolders(path, base, items)
  return checked([...items.values()])
}

function look(path: string): Stats {
  try {
    return lstatSync(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Its real place, without following the last step: a link is kept as one. */
const realParent = (path: string) =>
  resolve(
    realpathSync(dirname(path)),
    resolve(path)
      .slice(resolve(dirname(path)).length)
      .replace(/^[/\\]/, ''),
  )

function commonFolder(places: string[]): string {
  const split = places.map((place) => dirname(place).split(sep))
  const shared = split[0]!.filter((_, i) =>
    split.every((parts) => parts.slice(0, i + 1).join(sep) === split[0]!.slice(0, i + 1).join(sep)),
  )
  return shared.join(sep) || sep
}

function itemsAt(path: string, place: string, stats: Stats, base: string): Item[] {
  const name = posixPath(relative(base, place))
  if (stats.isSymbolicLink()) return [link(name, place, stats, base)]
  if (stats.isFile()) return [item(name, place, stats)]
  if (!stats.isDirectory()) throw new UsageError(`${path} is neither a file nor a folder`)
  return readTree(place).items.map((one) => ({ ...one, path: `${name}/${one.path}` }))
}

function addFolders(path: string, base: string, items: Map<string, Item>) {
  for (let at = path.indexOf('/'); at > 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at + 1)
    if (items.has(folder)) continue
    const source = resolve(base, folder)
    items.set(folder, {
      path: folder,
      source,
      kind: 'folder',
      size: 0,
      executable: true,
      changed_ms: 0,
    })
  }
}
