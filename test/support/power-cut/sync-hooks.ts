import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mayHaveSites, nameOf, sitesIn, withoutSync, withReports } from './sync-sites.ts'

/**
 * Loaded before a recorded program. WITHOUT_SYNC names a call that does not sync; SYNCS_REACHED
 * names a file that gets the name of every call that is reached. A program that does one thing
 * after the other may change that variable for each.
 */
const root = join(import.meta.dirname, '../../..')
const { WITHOUT_SYNC: removed, SYNCS_REACHED: reports } = process.env
const reached = new Set<string>()
Object.assign(globalThis, {
  syncReached(name: string) {
    const file = process.env['SYNCS_REACHED']!
    if (!reached.has(`${file} ${name}`)) appendFileSync(file, `${name}\n`)
    reached.add(`${file} ${name}`)
  },
})

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file://') || !url.endsWith('.ts')) return next(url, context)
    const path = fileURLToPath(url)
    const file = path.slice(root.length + 1)
    if (!mayHaveSites(file)) return next(url, context)
    const source = readFileSync(path, 'utf8')
    const sites = sitesIn(file, source)
    const site = sites.find((candidate) => nameOf(candidate) === removed)
    if (!site && !(reports && sites.length)) return next(url, context)
    return {
      format: 'module-typescript',
      source: site ? withoutSync(source, site) : withReports(source, sites),
      shortCircuit: true,
    }
  },
})
