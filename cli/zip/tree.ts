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
import { isIgnored, type Rule, readIgnore } from './ignore.ts'

/** What goes into a zip: where it is on disk, and what it is called inside. */
export type Item = {
  /** With / between folders; a folder ends with one. */
  path: string
  source: string
  kind: 'file' | 'folder' | 'link'
  size: number
  executable: boolean
  /** Of a link: where it leads, from its own folder. */
  target?: string
  /** What it was when it was found; something else later means that it changed. */
  changed_ms: number
}
export type Tree = { items: Item[]; skipped: string[]; ignored: number }

export const IGNORE_FILE = '.slipwayignore'
const MAX_PATH = 1024

type Filter = (name: string, stats: Stats) => boolean

/**
 * All of a folder but what its ignore files leave out, in an order that is the same everywhere. What is not wanted is passed over
 * before anything is demanded of it; a folder that is not wanted is still looked into.
 */
export function readTree(
  folder: string,
  extra: readonly Rule[] = [],
  wanted: Filter = () => true,
): Tree {
  const root = realpathSync(folder)
  const tree: Tree = { items: [], skipped: [], ignored: 0 }
  walk(root, '', [...ignoreFile(root, ''), ...extra], tree, root, wanted)
  return { ...tree, items: checked(tree.items) }
}

function walk(root: string, at: string, rules: Rule[], tree: Tree, top: string, wanted: Filter) {
  for (const name of names(join(root, at))) {
    const path = at + name
    const source = join(root, path)
    const stats = look(source)
    if (name === IGNORE_FILE && stats.isFile()) continue
    if (isIgnored(rules, path, stats.isDirectory())) {
      tree.ignored++
    } else if (stats.isDirectory()) {
      if (wanted(name, stats))
        tree.items.push({ ...item(`${path}/`, source, stats), kind: 'folder', size: 0 })
      walk(root, `${path}/`, [...rules, ...ignoreFile(source, `${path}/`)], tree, top, wanted)
    } else if (!wanted(name, stats)) continue
    else if (stats.isSymbolicLink()) tree.items.push(link(path, source, stats, top))
    else if (stats.isFile()) tree.items.push(item(path, source, stats))
    else tree.skipped.push(path)
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw unreadable(folder, error)
  }
}

function look(path: string): Stats {
  try {
    return lstatSync(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

export function unreadable(path: string, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path.includes('\u{fffd}'))
    return new UsageError(`${path}: the name is not valid UTF-8`, 'rename the file')
  const why =
    code === 'ENOENT'
      ? 'does not exist'
      : code === 'EACCES'
        ? 'may not be read'
        : `cannot be read (${code})`
  return new UsageError(`${path} ${why}`)
}

export function item(path: string, source: string, stats: Stats): Item {
  const { size, mtimeMs: changed_ms, mode } = stats
  return { path, source, kind: 'file', size, executable: (mode & 0o111) !== 0, changed_ms }
}

/** A link inside the folder is kept and made relative; a link out of it is refused. */
export function link(path: string, source: string, stats: Stats, root: string): Item {
  const written = readlinkSync(source)
  const leads_to = resolve(join(source, '..'), written)
  const inside = (place: string) => place === root || place.startsWith(root + sep)
  const real = realPlace(source)
  if (!inside(leads_to) || (real !== undefined && !inside(real)))
    throw new UsageError(
      `${path} is a link that leads out of the folder, to ${written}`,
      'copy what it points at, or leave the link out with .slipwayignore',
    )
  const target = posixPath(relative(join(source, '..'), leads_to)) || '.'
  return {
    ...item(path, source, stats),
    kind: 'link',
    size: Buffer.byteLength(target),
    executable: false,
    target,
  }
}

function realPlace(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

export const posixPath = (path: string) => (sep === '/' ? path : path.split(sep).join(posix.sep))

function ignoreFile(folder: string, base: string): Rule[] {
  try {
    return readIgnore(readFileSync(join(folder, IGNORE_FILE), 'utf8'), base)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR') return []
    throw unreadable(join(folder, IGNORE_FILE), error)
  }
}

/** Names every server takes, in the order of their bytes. */
export function checked(items: Item[]): Item[] {
  for (const { path } of items) checkName(path)
  return items
    .map((item) => ({ item, key: Buffer.from(item.path) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ item }) => item)
}

function checkName(path: string) {
  const hint = 'rename it, or leave it out with .slipwayignore'
  if (/[\u0000-\u001f\u007f\\]/.test(path))
    throw new UsageError(
      `${JSON.stringify(path)}: names hold no backslashes and no control characters`,
      hint,
    )
  if (/^[a-z]:/i.test(path))
    throw new UsageError(`${JSON.stringify(path)} would be a drive on Windows`, hint)
  if (Buffer.byteLength(path) > MAX_PATH)
    throw new UsageError(`${path.slice(0, 60)}… is longer than ${MAX_PATH} bytes`, hint)
}
