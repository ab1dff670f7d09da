import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const schemas = { sitemap: ['--schema', 'sitemap.xsd'], atom: ['--relaxng', 'atom.rng'] } as const

/** Asserts that XML is well formed, and valid by its schema, with an independent parser. */
export function assertXml(xml: string, schema: keyof typeof schemas) {
  const [kind, file] = schemas[schema]
  const checked = spawnSync(
    'xmllint',
    ['--noout', '--nonet', kind, join(import.meta.dirname, 'schemas', file), '-'],
    { input: xml },
  )
  assert.equal(checked.status, 0, checked.stderr.toString().slice(0, 1000))
}

/** The text at an XPath, as an independent parser reads it. */
export function xpath(xml: string, path: string): string {
  const result = spawnSync('xmllint', ['--nonet', '--xpath', path, '-'], { input: xml })
  assert.equal(result.status, 0, result.stderr.toString())
  return result.stdout.toString().replace(/\n$/, '')
}

/** The URLs of a sitemap. */
export const locations = (xml: string) =>
  [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map((match) => match[1]!)
