import { realpathSync, type Stats } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import type { Coep } from '../../src/builds/builds/fields.ts'
import { requiredText } from '../../src/listings/fields/text.ts'
import { UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { type App, normalizePlatform, type Platform } from '../publish/registration.ts'
import type { Ui } from '../terminal/ui.ts'
import { checked, type Item, item, link, posixPath, readStats, readTree } from '../zip/tree.ts'
import { locate, readAsset, readCommon } from './build-file.ts'
import { checkField, listOf, mapping, readYaml, type YamlFile } from './yaml.ts'

export type FilesFile = App & {
  file: YamlFile
  type: string
  version: string
  engine_version: string
  coep: Coep | undefined
  platform: Platform
  symbols: string | undefined
  /** The folder that names in the zip are relative to. */
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
  'coep',
  'symbols',
  'root',
  'files',
]

/** Reads addfiles.yml, which lists the files of a build for one platform. */
export function readFilesFile(path: string, ui: Ui, flags: Partial<Platform>): FilesFile {
  const file = readYaml(path)
  const asset = readAsset(file, 'addfiles', keys, ui)
  const listed = listOf(file, ['asset', 'files'], asset.files).map((value, i) => {
    const at = ['asset', 'files', i]
    const { file: name } = mapping(file, at, value, { known: ['file'], ui })
    return locate(
      file,
      checkField(file, [...at, 'file'], (field) => requiredText(field, name, 4096)),
    )
  })
  if (listed.length === 0)
    throw new UsageError(
      t('yaml-no-files', { place: file.place(['asset', 'files']) }),
      t('yaml-no-files-hint'),
    )
  const root = asset.root ? locate(file, String(asset.root)) : resolve(dirname(path))
  return {
    file,
    ...readCommon(file, asset, ui),
    platform: readPlatform(file, asset, flags),
    root,
    files: listed,
  }
}

/** All three fields are required, from the file or from flags. */
function readPlatform(
  file: YamlFile,
  asset: Record<string, unknown>,
  flags: Partial<Platform>,
): Platform {
  const platform = {
    os: asset.os,
    arch: asset.arch,
    channel: asset.channel,
    ...flags,
  } as Partial<Platform>
  for (const key of ['os', 'arch', 'channel'] as const)
    if (!platform[key])
      throw new UsageError(
        t('yaml-missing-field', { place: file.place(['asset']), key }),
        t('yaml-missing-field-hint', { key }),
      )
  return normalizePlatform(platform, `${file.path}: `)
}

/**
 * The files of the list with their folders. Names start at the root, or at the common folder of all
 * files if some are outside the root.
 */
export function listedItems({ root, files }: FilesFile): Item[] {
  const listed = files.map((path) => ({ path, stats: readStats(path) }))
  const real_root = realpathSync(root)
  const sources = listed.map(({ path }) => realSource(path))
  const is_below_root = sources.every((source) => source.startsWith(real_root + sep))
  const base = is_below_root ? real_root : commonFolder(sources)
  const items = new Map<string, Item>()
  for (const [i, { path, stats }] of listed.entries())
    for (const entry of itemsAt(path, sources[i]!, stats, base)) items.set(entry.path, entry)
  for (const { path } of [...items.values()]) addFolders(path, base, items)
  return checked([...items.values()])
}

/** The real path of a file, except that a link itself is not followed. */
const realSource = (path: string) =>
  resolve(
    realpathSync(dirname(path)),
    resolve(path)
      .slice(resolve(dirname(path)).length)
      .replace(/^[/\\]/, ''),
  )

function commonFolder(sources: string[]): string {
  const split = sources.map((source) => dirname(source).split(sep))
  const shared = split[0]!.filter((_, i) =>
    split.every((parts) => parts.slice(0, i + 1).join(sep) === split[0]!.slice(0, i + 1).join(sep)),
  )
  return shared.join(sep) || sep
}

function itemsAt(path: string, source: string, stats: Stats, base: string): Item[] {
  const name = posixPath(relative(base, source))
  if (stats.isSymbolicLink()) return [link(name, source, stats, base)]
  if (stats.isFile()) return [item(name, source, stats)]
  if (!stats.isDirectory()) throw new UsageError(t('yaml-not-file-or-folder', { path }))
  return readTree(source).items.map((entry) => ({ ...entry, path: `${name}/${entry.path}` }))
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
