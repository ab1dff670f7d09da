import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageTypes } from '../../src/listings/fields/editor.ts'
import { listingFields } from '../../src/listings/fields/table.ts'
import { rules } from '../../src/listings/listing/check.ts'
import { galleryLimits } from '../../src/listings/media/image-rules.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/editor.md'), 'utf8')
const paragraph = guide.replaceAll(/\s+/g, ' ')

const typeNames = {
  plugin: 'plugin',
  dev_asset: 'development asset',
  game_asset: 'game asset',
  tool: 'tool',
}
const needs = { engine: 'an engine', parent: 'a parent' }

test('the editor guide names what each type of package needs to go public', () => {
  assert.deepEqual([listingFields.tags.min, galleryLimits.min], [3, 4])
  assert.match(
    paragraph,
    /at least three tags, a cover, a thumbnail, four gallery images and a build with a clean scan/,
  )
  const rows = [...guide.matchAll(/^ *\| ([a-z, ]+) \| (.+) \|$/gm)]
  for (const type of packageTypes) {
    const required = rules.filter(
      ({ level, applies_to }) => level === 'error' && applies_to.includes(type),
    )
    const ids = required.map(({ id }) => id)
    assert.deepEqual(
      ids.filter((id) => !(id in needs)).sort(),
      ['clean_build', 'cover', 'gallery', 'tags', 'thumbnail'],
      type,
    )
    const row = rows.find(([, types]) => types!.split(', ').includes(typeNames[type]))!
    for (const [id, text] of Object.entries(needs))
      assert.equal(row[2]!.includes(text), ids.includes(id), `${type}: ${text}`)
  }
})
