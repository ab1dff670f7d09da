import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { join, posix, relative, resolve, sep } from 'node:path'
import { UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { isIgnored, type Rule, readIgnore } from './ignore.ts'

/** An entry of a zip: its path on disk, and its path in the zip. */
export type Item = {
  /** With / between folders; a folder ends with one. */
  path: string
  source: string
  kind: 'file' | 'folder' | 'link'
  size: number
  executable: boolean
  /** The target of a link, relative to its own folder. */
  target?: string
  /** The modification time when the tree was read; another time later means that it changed. */
  changed_ms: number
}
export type Tree = { items: Item[]; skipped: string[]; ignored: number }

export const IGNORE_FILE = '.slipwayignore'
const MAX_PATH = 1024

type Filter = (name: string, stats: Stats) => boolean

/**
 * Everything in a folder except what its ignore files exclude, in an order that is the same on
 * every system. Entries that the filter rejects are skipped before they are checked; rejected
 * folders are still searched.
 */
export function readTree(
  folder: string,
  extra_rules: readonly Rule[] = [],
  filter: Filter = () => true,
): Tree {
  const root = realpathSync(folder)
  const tree: Tree = { items: [], skipped: [], ignored: 0 }
  addFolder({ root, tree, filter }, '', [...readIgnoreFile(root, ''), ...extra_rules])
  return { ...tree, items: checked(tree.items) }
}

type TreeReader = { root: string; tree: Tree; filter: Filter }

/** Adds the entries of a folder, whose path is relative to the root and ends with a slash. */
function addFolder(reader: TreeReader, folder: string, rules: Rule[]) {
  const { root, tree, filter } = reader
  for (const name of listFolder(join(root, folder))) {
    const path = folder + name
    const source = join(root, path)
    const stats = readStats(source)
    if (name === IGNORE_FILE && stats.isFile()) continue
    if (isIgnored(rules, path, stats.isDirectory())) {
      tree.ignored++
    } else if (stats.isDirectory()) {
      if (filter(name, stats))
        tree.items.push({ ...item(`${path}/`, source, stats), kind: 'folder', size: 0 })
      addFolder(reader, `${path}/`, [...rules, ...readIgnoreFile(source, `${path}/`)])
    } else if (!filter(name, stats)) continue
    else if (stats.isSymbolicLink()) tree.items.push(link(path, source, stats, root))
    else if (stats.isFile()) tree.items.push(item(path, source, stats))
    else tree.skipped.push(path)
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw unreadable(folder, error)
  }
}

export function readStats(path: string): Stats {
  try {
    return lstatSync(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

export function unreadable(path: string, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path.includes('\u{fffd}'))
    return new UsageError(t('file-not-utf8', { path }), t('file-rename-hint'))
  if (code === 'ENOENT') return new UsageError(t('file-missing', { path }))
  if (code === 'EACCES') return new UsageError(t('file-forbidden', { path }))
  return new UsageError(t('file-unreadable', { path, code: String(code) }))
}

export function item(path: string, source: string, stats: Stats): Item {
  const { size, mtimeMs: changed_ms, mode } = stats
  return { path, source, kind: 'file', size, executable: (mode & 0o111) !== 0, changed_ms }
}

/** A link inside the folder is kept and made relative; a link out of it is refused. */
export function link(path: string, source: string, stats: Stats, root: string): Item {
  const link_text = readlinkSync(source)
  const linked_path = resolve(join(source, '..'), link_text)
  const isInside = (place: string) => place === root || place.startsWith(root + sep)
  const real_path = realPathOrUndefined(source)
  if (!isInside(linked_path) || (real_path !== undefined && !isInside(real_path)))
    throw new UsageError(
      t('file-link-outside', { path, target: link_text }),
      t('file-link-outside-hint'),
    )
  const target = posixPath(relative(join(source, '..'), linked_path)) || '.'
  return {
    ...item(path, source, stats),
    kind: 'link',
    size: Buffer.byteLength(target),
    executable: false,
    target,
  }
}

function realPathOrUndefined(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

export const posixPath = (path: string) => (sep === '/' ? path : path.split(sep).join(posix.sep))

function readIgnoreFile(folder: string, base: string): Rule[] {
  try {
    return readIgnore(readFileSync(join(folder, IGNORE_FILE), 'utf8'), base)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR') return []
    throw unreadable(join(folder, IGNORE_FILE), error)
  }
}

/** Refuses names that servers reject, and sorts the items by the bytes of their paths. */
export function checked(items: Item[]): Item[] {
  for (const { path } of items) checkName(path)
  return items
    .map((item) => ({ item, key: Buffer.from(item.path) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ item }) => item)
}

function checkName(path: string) {
  if (/[\u0000-\u001f\u007f\\]/.test(path))
    throw new UsageError(
      t('file-name-characters', { path: JSON.stringify(path) }),
      t('file-name-hint'),
    )
  if (/^[a-z]:/i.test(path))
    throw new UsageError(t('file-name-drive', { path: JSON.stringify(path) }), t('file-name-hint'))
  if (Buffer.byteLength(path) > MAX_PATH)
    throw new UsageError(
      t('file-name-long', { path: path.slice(0, 60), max: String(MAX_PATH) }),
      t('file-name-hint'),
    )
}
