import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** A place in our code that syncs a file or a folder. */
export type SyncSite = { file: string; index: number; start: number; text: string; line: number }

const CALL = /\.(?:data)?sync\(\)|\b(?:syncFile|syncFolder|f(?:data)?sync(?:Sync)?)\((?!\))/g
const DEFINITION = /function $/

export function sitesIn(file: string, source: string): SyncSite[] {
  return [...source.matchAll(CALL)]
    .filter(({ index }) => !DEFINITION.test(source.slice(0, index)))
    .map(({ 0: text, index: start }, index) => ({
      file,
      index,
      start,
      text,
      line: source.slice(0, start).split('\n').length,
    }))
}

/** The service, and the client that installs and updates games. */
const FOLDERS = ['src', 'cli']

export const mayHaveSites = (file: string): boolean =>
  FOLDERS.some((folder) => file.startsWith(`${folder}/`))

export const listSyncSites = (): SyncSite[] =>
  FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .sort()
    .flatMap((file) => sitesIn(file, readFileSync(join(root, file), 'utf8')))

export const nameOf = ({ file, index }: Pick<SyncSite, 'file' | 'index'>) => `${file}#${index}`

/** The source with one call that does everything but sync. */
export function withoutSync(source: string, { start, text }: SyncSite): string {
  const harmless = text.startsWith('.') ? '.stat()' : 'Promise.resolve('
  return source.slice(0, start) + harmless + source.slice(start + text.length)
}

/** The source with every call reporting its name to `globalThis.syncReached`. */
export function withReports(source: string, sites: SyncSite[]): string {
  let result = source
  for (const site of sites.toReversed()) {
    const report = `globalThis.syncReached(${JSON.stringify(nameOf(site))})`
    const { text, start } = site
    const called = text.startsWith('.')
      ? `[(${report}, '${text.slice(1, -2)}')]()`
      : `(${report}, ${text.slice(0, -1)})(`
    result = result.slice(0, start) + called + result.slice(start + text.length)
  }
  return result
}
