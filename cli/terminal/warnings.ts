import { closeSync, openSync, readSync } from 'node:fs'
import { MAX_FILE_SIZE, uploadLimits } from '../../src/builds/limits.ts'
import { formatBytes } from '../../src/core/runtime/format-bytes.ts'
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
      items,
      (path) => privateNames.test(path),
      'looks private and would be published with the build',
    ),
    ...pathWarning(
      items,
      (path) => systemFiles.test(path),
      'was left by a file manager; exclude it with .slipwayignore',
    ),
    ...pathWarning(
      danglingLinks(items),
      () => true,
      'is a link to something that is not part of the build; it leads nowhere for players',
    ),
    ...nameCollisions(items),
    ...(about.os === 'windows' ? windowsWarnings(items) : []),
  ]
}

/** How to recognize a program of each system, and what a build needs to have one. */
const programs: Record<string, { matches: (item: Item) => boolean; expected: string }> = {
  windows: { matches: ({ path }) => /\.(exe|bat|cmd|msi|com)$/i.test(path), expected: 'a .exe' },
  linux: {
    matches: (item) => item.executable && item.kind === 'file',
    expected: 'a file with its executable bit set',
  },
  macos: {
    matches: ({ path, executable, kind }) =>
      (kind === 'file' && executable) || /\.(dmg|pkg)$/i.test(path),
    expected: 'an .app with its executable bit set, a .dmg or a .pkg',
  },
  android: { matches: ({ path }) => /\.(apk|aab|apks|xapk)$/i.test(path), expected: 'an .apk' },
  ios: { matches: ({ path }) => /\.(ipa|app\/)/i.test(path), expected: 'an .ipa' },
  web: {
    matches: ({ path }) => /^([^/]+\/)?index\.html$/i.test(path),
    expected: 'an index.html at its top',
  },
}

function missingProgram(items: readonly Item[], { os, type, asset_type }: About): string[] {
  const program = programs[os]
  if (!program || editorTypes.has(asset_type ?? type) || items.some(program.matches)) return []
  const not_executable = os === 'linux' || os === 'macos' ? items.filter(looksLikeProgram) : []
  const names = not_executable.slice(0, MAX_NAMED).map(({ path }) => path)
  if (not_executable.length)
    return [
      `players cannot start ${names.join(', ')}: ` +
        'set the executable bit (chmod +x) before you push',
    ]
  return [`nothing here starts on ${os}: players need ${program.expected}`]
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
  return is_wrapped
    ? []
    : [
        'editors strip the first folder of a package when they install it: ' +
          'put everything in one folder, for example with --wrap my-package',
      ]
}

function tooLarge(items: readonly Item[]): string[] {
  const total = items.reduce((sum, { size }) => sum + size, 0)
  return total > uploadLimits.max_file_bytes
    ? [`${formatBytes(total)} before compression; a zip over ${MAX_FILE_SIZE} is refused`]
    : []
}

function pathWarning(
  items: readonly Item[],
  isAffected: (path: string) => boolean,
  problem: string,
): string[] {
  const affected = items.filter(({ path }) => isAffected(path))
  if (affected.length === 0) return []
  const more = affected.length > 1 ? ` (and ${affected.length - 1} more)` : ''
  return [`${affected[0]!.path}${more} ${problem}`]
}

function nameCollisions(items: readonly Item[]): string[] {
  const seen = new Map<string, string>()
  for (const { path } of items) {
    const key = path.toLowerCase().normalize('NFC')
    const other = seen.get(key)
    if (other !== undefined)
      return [
        `${other} and ${path} are the same name on Windows and macOS: one of them would be lost`,
      ]
    seen.set(key, path)
  }
  return []
}

function windowsWarnings(items: readonly Item[]): string[] {
  return [
    ...pathWarning(
      items,
      (path) => windowsReserved.test(path) || windowsInvalid.test(path),
      'is a name Windows does not allow',
    ),
    ...pathWarning(
      items,
      (path) => path.length > WINDOWS_PATH,
      'is a path so long that Windows may not unpack it',
    ),
    ...pathWarning(
      items.filter(({ kind }) => kind === 'link'),
      () => true,
      'is a link; most Windows machines cannot unpack links',
    ),
  ]
}
