import { parse } from 'yaml'

/** How a game is started, with paths below the folder it is installed in. */
export type Launch = {
  executable: string
  args: string[]
  working_dir: string
  /** No file in the build says it; this is the most likely program. */
  guessed: boolean
}

export type LaunchableEntry = { path: string; size: number; mode: number; link?: string }

export const LAUNCH_FILE = 'slipway.yml'
export const MAX_LAUNCH_FILE = 64 * 1024
const MAX_ARGS = 50
const MAX_ARG = 1000
const EXECUTE_BITS = 0o111

/** The file that says how to start the build, at its top or in its only folder. */
export function findLaunchFile<Entry extends { path: string }>(
  entries: readonly Entry[],
): Entry | undefined {
  const at_top = entries.find(({ path }) => path === LAUNCH_FILE)
  if (at_top) return at_top
  const folders = new Set(entries.map(({ path }) => path.slice(0, path.indexOf('/') + 1)))
  const [only = ''] = folders
  return folders.size === 1
    ? entries.find(({ path }) => path === `${only}${LAUNCH_FILE}`)
    : undefined
}

/** What the registration of the build says, if the build has that program. */
export function registeredLaunch(
  hint: Omit<Launch, 'guessed'> | null,
  entries: readonly LaunchableEntry[],
): Launch | undefined {
  const is_there = hint !== null && entries.some(({ path }) => path === hint.executable)
  return is_there ? { ...hint, guessed: false } : undefined
}

/**
 * Reads `launch` of a launch file: fields for every system, and below the name of a system those
 * that differ there. Undefined if it says nothing that can be started.
 */
export function readLaunch(
  text: string,
  folder: string,
  os: string,
  entries: readonly LaunchableEntry[],
): Launch | undefined {
  const launch = fieldsOf(parseYaml(text).launch)
  const fields = { ...launch, ...fieldsOf(launch[os]) }
  const executable = pathBelow(folder, fields.executable)
  const working_dir = pathBelow(folder, fields.working_dir ?? '.')
  const args = fields.args || []
  const is_valid =
    executable !== undefined &&
    working_dir !== undefined &&
    entries.some(({ path }) => path === executable) &&
    Array.isArray(args) &&
    args.length <= MAX_ARGS &&
    args.every((value) => typeof value === 'string' && value.length <= MAX_ARG)
  return is_valid ? { executable, args, working_dir, guessed: false } : undefined
}

function parseYaml(text: string): Record<string, unknown> {
  try {
    // Without types, so that arguments such as 1920 or 1.0 stay the text that the game expects.
    return fieldsOf(parse(text, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' }))
  } catch {
    return {}
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

/** The path from the top of the build; undefined for one that is not below the folder. */
function pathBelow(folder: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ARG) return undefined
  const steps = value.split('/').filter((step) => step !== '' && step !== '.')
  const is_safe = !/[\\\0]/.test(value) && !value.startsWith('/') && !steps.includes('..')
  return is_safe && !/^[a-z]:/i.test(value) ? `${folder}${steps.join('/')}` : undefined
}

const HELPER = /unins|setup|install|redist|crash|handler|report|update|helper|benchmark|dxwebsetup/i

/** Which files of a build could be its program, by system. */
const candidates: Record<string, (entry: LaunchableEntry) => boolean> = {
  windows: ({ path }) => /\.exe$/i.test(path),
  linux: ({ path, mode }) =>
    /\.(x86_64|x86|arm64|appimage|sh)$/i.test(path) ||
    ((mode & EXECUTE_BITS) !== 0 && !/\.[a-z0-9_]{1,8}$/i.test(path)),
  macos: ({ path }) => /\.app\/Contents\/MacOS\/[^/]+$/.test(path),
  web: ({ path }) => /(^|\/)index\.html$/.test(path),
}

/**
 * The most likely program of a build: near the top, no installer or crash handler, and the largest
 * of those, because starters of engines are small.
 */
export function guessLaunch(entries: readonly LaunchableEntry[], os: string): Launch | undefined {
  const isCandidate = Object.hasOwn(candidates, os) ? candidates[os] : undefined
  if (!isCandidate) return undefined
  const depth = ({ path }: LaunchableEntry) => path.split('/').length
  const isHelper = ({ path }: LaunchableEntry) =>
    Number(HELPER.test(path.slice(path.lastIndexOf('/') + 1)))
  const [best] = entries
    .filter((entry) => !entry.link && !entry.path.endsWith('/') && isCandidate(entry))
    .toSorted((a, b) => isHelper(a) - isHelper(b) || depth(a) - depth(b) || b.size - a.size)
  if (!best) return undefined
  const folder = best.path.slice(0, best.path.lastIndexOf('/') + 1)
  const working_dir = os === 'macos' ? '' : folder.replace(/\/$/, '')
  return { executable: best.path, args: [], working_dir, guessed: true }
}
