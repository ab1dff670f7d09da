import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const schemas = { sitemap: ['--schema', 'sitemap.xsd'], atom: ['--relaxng', 'atom.rng'] } as const

/** Well formed for a parser of other people's, and valid by its schema. */
export function assertXml(xml: string, schema: keyof typeof schemas) {
  const [kind, file] = schemas[schema]
  const checked = spawnSync(
    'xmllint',
    ['--noout', '--nonet', kind, join(import.meta.dirname, 'schemas', file), '-'],
    { input: xml },
  )
  assert.equal(checked.status, 0, checked.stderr.toString().slice(0, 1000))
}

/** What a parser of other people's reads at a path; entities and all. */
export function xpath(xml: string, path: string): string {
  const found = spawnSync('xmllint', ['--nonet', '--xpath', path, '-'], { input: xml })
  assert.equal(found.status, 0, found.stderr.toString())
  return found.stdout.toString().replace(/\n$/, '')
}

/** The addresses that a sitemap of ours names. */
export const locations = (xml: string) =>
  [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map((match) => match[1]!)
