import { closeSync, openSync, readSync } from 'node:fs'
import { MAX_FILE_SIZE, uploadLimits } from '../../src/builds/upload-limits.ts'
import { foldName } from '../../src/uploads/zip/name-collisions.ts'
import { formatSize, later, type Text, t } from '../messages.ts'
import { danglingLinks } from '../zip/links.ts'
import type { Item } from '../zip/tree.ts'

export type About = { os: string; type: string; asset_type?: string }

const MAX_NAMED = 3
const windowsReserved = /(^|\/)(con|prn|aux|nul|com\d|lpt\d)(\.[^/]*)?(\/|$)/i
const windowsInvalid = /[<>:"|?*]|[. ](\/|$)/
const WINDOWS_PATH = 200
const editorTypes = new Set(['plugin', 'dev_asset', 'game_asset', 'tool', 'addon', 'template'])
const privateNames = /(^|\/)(\.git|\.svn|\.hg|\.env|\.ssh|id_rsa|id_ed25519)(\/|$)/i
const systemFiles = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|__MACOSX)(\/|$)/

/** Problems that players would run into. */
export function warnings(items: readonly Item[], about: About): string[] {
  return [
    ...missingProgram(items, about),
    ...missingWrapper(items, about),
    ...tooLarge(items),
    ...pathWarning(
      items.filter(({ path }) => privateNames.test(path)),
      (path) => t('warn-private', { path }),
    ),
    ...pathWarning(
      items.filter(({ path }) => systemFiles.test(path)),
      (path) => t('warn-system-file', { path }),
    ),
    ...pathWarning(danglingLinks(items), (path) => t('warn-dangling', { path })),
    ...nameCollisions(items),
    ...(about.os === 'windows' ? windowsWarnings(items) : []),
  ]
}

/** How to recognize a program of each system, and what a build needs to have one. */
const programs: Record<string, { matches: (item: Item) => boolean; expected: Text }> = {
  windows: {
    matches: ({ path }) => /\.(exe|bat|cmd|msi|com)$/i.test(path),
    expected: later('warn-program-windows'),
  },
  linux: {
    matches: (item) => item.executable && item.kind === 'file',
    expected: later('warn-program-linux'),
  },
  macos: {
    matches: ({ path, executable, kind }) =>
      (kind === 'file' && executable) || /\.(dmg|pkg)$/i.test(path),
    expected: later('warn-program-macos'),
  },
  android: {
    matches: ({ path }) => /\.(apk|aab|apks|xapk)$/i.test(path),
    expected: later('warn-program-android'),
  },
  ios: { matches: ({ path }) => /\.(ipa|app\/)/i.test(path), expected: later('warn-program-ios') },
}

function missingProgram(items: readonly Item[], { os, type, asset_type }: About): string[] {
  const program = programs[os]
  if (!program || editorTypes.has(asset_type ?? type) || items.some(program.matches)) return []
  const not_executable = os === 'linux' || os === 'macos' ? items.filter(looksLikeProgram) : []
  const names = not_executable.slice(0, MAX_NAMED).map(({ path }) => path)
  if (not_executable.length) return [t('warn-not-executable', { files: names.join(', ') })]
  return [t('warn-no-program', { os, program: program.expected() })]
}

const magics = ['7f454c46', 'cffaedfe', 'cefaedfe', 'cafebabe', '2321']

/** Judged by the first bytes, because some systems lose the executable bit. */
function looksLikeProgram({ kind, source, size, path }: Item): boolean {
  if (kind !== 'file' || size < 4 || /\.(so|dylib|class)(\.|$)/i.test(path)) return false
  try {
    const file = openSync(source, 'r')
    try {
      const head = Buffer.alloc(4)
      readSync(file, head, 0, 4, 0)
      return magics.some((magic) => head.toString('hex').startsWith(magic))
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

/** Editors strip the first folder of a package when they install it. */
function missingWrapper(items: readonly Item[], { type, asset_type }: About): string[] {
  if (!editorTypes.has(asset_type ?? type)) return []
  const tops = new Set(items.map(({ path }) => path.split('/')[0]!))
  const is_wrapped =
    tops.size === 1 && !tops.has('addons') && items.every(({ path }) => path.includes('/'))
  return is_wrapped ? [] : [t('warn-wrapper')]
}

function tooLarge(items: readonly Item[]): string[] {
  const total = items.reduce((sum, { size }) => sum + size, 0)
  return total > uploadLimits.max_file_bytes
    ? [t('warn-too-large', { size: formatSize(total), max: MAX_FILE_SIZE })]
    : []
}

/** A warning that names the first of the files, and how many others there are. */
function pathWarning(affected: readonly Item[], warn: (path: string) => string): string[] {
  const [first] = affected
  if (!first) return []
  const more = affected.length - 1
  return [warn(more ? t('warn-more', { path: first.path, more: String(more) }) : first.path)]
}

function nameCollisions(items: readonly Item[]): string[] {
  const seen = new Map<string, string>()
  for (const { path } of items) {
    const key = foldName(path)
    const other = seen.get(key)
    if (other !== undefined) return [t('warn-collision', { first: other, second: path })]
    seen.set(key, path)
  }
  return []
}

function windowsWarnings(items: readonly Item[]): string[] {
  return [
    ...pathWarning(
      items.filter(({ path }) => windowsReserved.test(path) || windowsInvalid.test(path)),
      (path) => t('warn-windows-name', { path }),
    ),
    ...pathWarning(
      items.filter(({ path }) => path.length > WINDOWS_PATH),
      (path) => t('warn-windows-path', { path }),
    ),
    ...pathWarning(
      items.filter(({ kind }) => kind === 'link'),
      (path) => t('warn-windows-link', { path }),
    ),
  ]
}
