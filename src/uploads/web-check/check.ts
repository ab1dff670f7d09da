import { yieldWhenSlow } from '../../core/runtime/event-loop.ts'
import { MIB, SECOND_MS } from '../../core/runtime/units.ts'
import {
  INDEX,
  playedFolder,
  type WebLimits,
  type WebReport,
  type WebWarning,
} from '../../listings/fields/web-build.ts'
import { foldName } from '../zip/name-collisions.ts'
import { cssReferences, htmlReferences, scriptPaths } from './references.ts'

export type WebFile = { path: string; size: number }
/** The text of a file of the build; undefined if it cannot be read as one. */
export type ReadText = (path: string) => Promise<string | undefined>

/** What is read of a build, which is enough for the files that start a game. */
const MAX_TEXT_BYTES = 2 * MIB
const MAX_TOTAL_BYTES = 32 * MIB
const MAX_TEXTS = 500
const MAX_MS = 20 * SECOND_MS
/** What is reported. */
const MAX_WARNINGS = 50
const MAX_TEXT = 200

/**
 * Checks whether a build can be played in the browser, and what its files refer to. Only limits and
 * a missing `index.html` keep it from being played; what else is found are warnings.
 */
export async function checkWebBuild(
  files: readonly WebFile[],
  limits: WebLimits,
  readText: ReadText,
): Promise<WebReport> {
  const folder = playedFolder(files.map(({ path }) => path))
  const blocked = problemOf(files, limits, folder)
  const warnings =
    folder === undefined ? [] : await findWrongReferences(files, folder, limits, readText)
  return { ...blocked, warnings }
}

function problemOf(
  files: readonly WebFile[],
  { max_files, max_bytes, max_file_bytes }: WebLimits,
  folder: string | undefined,
): Pick<WebReport, 'problem' | 'detail'> {
  if (folder === undefined) return { problem: 'no_index', detail: misspelledIndex(files) }
  if (files.length > max_files) return { problem: 'too_many_files', detail: String(files.length) }
  const largest = files.find(({ size }) => size > max_file_bytes)
  if (largest) return { problem: 'file_too_large', detail: shorten(largest.path) }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return bytes > max_bytes
    ? { problem: 'too_large', detail: String(bytes) }
    : { problem: null, detail: '' }
}

/** A page that was probably meant to be the first: `Index.html`, or one in a deeper folder. */
const misspelledIndex = (files: readonly WebFile[]) =>
  shorten(files.find(({ path }) => /(^|\/)index\.html?$/i.test(path))?.path ?? '')

const shorten = (text: string) => {
  const characters = [...text.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd')]
  return characters.length > MAX_TEXT
    ? `…${characters.slice(1 - MAX_TEXT).join('')}`
    : characters.join('')
}

type Kind = 'html' | 'css' | 'js'
const kinds: Record<string, Kind> = { html: 'html', htm: 'html', css: 'css', js: 'js', mjs: 'js' }
const kindOf = (path: string): Kind | undefined => {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(kinds, extension) ? kinds[extension] : undefined
}

/** The first page, then other pages, then what they load. */
const order: Kind[] = ['html', 'css', 'js']

async function findWrongReferences(
  files: readonly WebFile[],
  folder: string,
  { max_files }: WebLimits,
  readText: ReadText,
): Promise<WebWarning[]> {
  if (files.length > max_files) return []
  const places = createPlaces(files, folder)
  const texts = files
    .flatMap(({ path, size }) => {
      const kind = path.startsWith(folder) ? kindOf(path) : undefined
      return kind && size > 0 && size <= MAX_TEXT_BYTES ? [{ path, size, kind }] : []
    })
    .toSorted((a, b) => rank(a.path, folder) - rank(b.path, folder))
    .slice(0, MAX_TEXTS)
  const pause = yieldWhenSlow()
  const started = performance.now()
  const warnings = new Map<string, WebWarning>()
  let bytes = 0
  for (const { path, size, kind } of texts) {
    bytes += size
    if (bytes > MAX_TOTAL_BYTES || performance.now() - started > MAX_MS) break
    const text = await readText(path)
    if (text === undefined) continue
    for (const warning of await warningsOf(path, kind, text, places, pause)) {
      warnings.set(JSON.stringify(warning), warning)
      if (warnings.size === MAX_WARNINGS) return [...warnings.values()]
    }
    await pause()
  }
  return [...warnings.values()]
}

const rank = (path: string, folder: string) =>
  path === `${folder}${INDEX}` ? -1 : order.indexOf(kindOf(path)!)

type Places = {
  folder: string
  has: (path: string) => boolean
  /** The entry whose path differs from this one only in the case of its letters. */
  similar: (path: string) => string | undefined
}

function createPlaces(files: readonly WebFile[], folder: string): Places {
  const exact = new Set(files.map(({ path }) => path))
  const folded = new Map(files.map(({ path }) => [foldName(path), path]))
  return {
    folder,
    has: (path) => exact.has(path) || exact.has(`${path}${INDEX}`),
    similar: (path) => folded.get(foldName(path)),
  }
}

async function warningsOf(
  path: string,
  kind: Kind,
  text: string,
  places: Places,
  pause: () => Promise<void> | undefined,
): Promise<WebWarning[]> {
  if (kind === 'css') return checkReferences(path, cssReferences(text), path, places)
  if (kind === 'js') return checkScript(path, text, places)
  const { references, script, base } = await htmlReferences(text, pause)
  const is_absolute = base !== undefined && isAbsolute(base)
  const start =
    base === undefined || hasScheme(base) || is_absolute ? path : resolvePath(base, path)
  return [
    ...(is_absolute ? [warn('absolute', path, base)] : []),
    ...(base !== undefined && hasScheme(base)
      ? []
      : checkReferences(path, references, (is_absolute ? places.folder : start) ?? path, places)),
    ...checkScript(path, script, places),
  ]
}

const warn = (
  kind: WebWarning['kind'],
  file: string,
  reference: string,
  entry?: string,
): WebWarning => ({
  kind,
  file: shorten(file),
  reference: shorten(reference),
  ...(entry !== undefined && { entry: shorten(entry) }),
})

const hasScheme = (reference: string) => /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(reference)
const isAbsolute = (reference: string) => /^[/\\](?![/\\])/.test(reference)

/** Checks what a page or a stylesheet loads; its references are relative to `start`. */
function checkReferences(
  file: string,
  references: readonly string[],
  start: string,
  { folder, has, similar }: Places,
): WebWarning[] {
  return references.flatMap((reference) => {
    if (reference === '' || reference.startsWith('#') || hasScheme(reference)) return []
    if (isAbsolute(reference)) {
      const entry = resolvePath(`.${reference}`, folder)
      return [
        warn('absolute', file, reference, entry !== undefined && has(entry) ? entry : undefined),
      ]
    }
    const target = resolvePath(reference, start)
    if (target === undefined || !target.startsWith(folder))
      return [warn('absolute', file, reference)]
    if (has(target)) return []
    const entry = similar(target)
    return entry === undefined ? [] : [warn('case', file, reference, entry)]
  })
}

/** Scripts load files relative to the page, which is the first one in nearly every game. */
const checkScript = (file: string, text: string, { folder, has, similar }: Places) =>
  scriptPaths(text).flatMap((reference) => {
    if (hasScheme(reference)) return []
    const is_absolute = isAbsolute(reference)
    const target = resolvePath(is_absolute ? `.${reference}` : reference, folder)
    if (target === undefined || !target.startsWith(folder)) return []
    if (has(target)) return is_absolute ? [warn('absolute', file, reference, target)] : []
    const entry = similar(target)
    return entry === undefined
      ? []
      : [warn(is_absolute ? 'absolute' : 'case', file, reference, entry)]
  })

const ORIGIN = 'http://build.invalid/'
/** Stands for the address of the build, out of which a reference may lead. */
const BUILD = `${ORIGIN}b/`

/** The path in the zip that a reference means, seen from a file of it; undefined outside of it. */
function resolvePath(reference: string, from: string): string | undefined {
  try {
    const base = `${BUILD}${from.split('/').map(encodeURIComponent).join('/')}`
    const { href } = new URL(reference, base)
    if (!href.startsWith(BUILD)) return undefined
    return decodeURIComponent(new URL(href).pathname.slice('/b/'.length))
  } catch {
    return undefined
  }
}
