import assert from 'node:assert/strict'
import { test } from 'node:test'
import fixtures from '../../../sim/extstore-fixtures.json' with { type: 'json' }
import { defaultSettings } from '../../../src/core/settings/table.ts'
import { readStorePage } from '../../../src/extstore/client/store-page.ts'
import { fields } from '../../../src/extstore/import/fields.ts'
import { htmlToMarkdown, htmlToText } from '../../../src/extstore/import/html-markdown.ts'
import { candidates } from '../../../src/extstore/import/mapping.ts'
import { planImport } from '../../../src/extstore/import/plan.ts'
import { newTarget } from '../../../src/extstore/import/target.ts'
import { checkTaxonomy } from '../../../src/listings/fields/taxonomy.ts'
import {
  MAX_DESCRIPTION,
  MAX_NAME,
  MAX_TAGLINE,
  markdown,
  plainText,
  requiredText,
} from '../../../src/listings/fields/text.ts'
import { listingRules } from '../../../src/listings/listing/store-rules.ts'
import { checkPressKit } from '../../../src/press/kit-rules.ts'
import { must } from '../../support/builders.ts'
import { fc } from '../../support/property.ts'
import { fieldsOf, sharedImportApp } from './fixtures.ts'

const startApp = sharedImportApp()
const example = Object.values(fixtures.appdetails.body)[0]!.data as Record<string, any>

/** Values that may appear anywhere in a broken or hostile page. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e300,
    '',
    ' ',
    'x',
    [],
    {},
    [[]],
    [null],
    [{}],
    { max: null },
    { ids: 'x' },
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(30_000),
    '😀'.repeat(5000),
    '<b>'.repeat(3000),
    '\u0000\ud800\u202e',
    '<script>alert(1)</script>',
    Array(3000).fill('x'),
    Array(3000).fill({ id: 1 }),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Every field of the example page that can be replaced, including nested ones. */
const paths = Object.keys(example).flatMap((key) => {
  const inner = Array.isArray(example[key]) ? example[key][0] : example[key]
  const deeper =
    inner && typeof inner === 'object' ? Object.keys(inner).map((name) => [key, name]) : []
  return [[key], ...deeper]
})

function spoiled(changes: [string[], unknown][]): Record<string, any> {
  const page = structuredClone(example)
  for (const [[key, inner], value] of changes) {
    const at = Array.isArray(page[key!]) ? page[key!][0] : page[key!]
    if (inner && at && typeof at === 'object') at[inner] = value
    else page[key!] = value
  }
  return page
}
const pages = fc.array(fc.tuple(fc.constantFrom(...paths), odd), { maxLength: 6 }).map(spoiled)

async function planOf(data: Record<string, unknown>) {
  const page = readStorePage(data)
  const app = { app_id: 5, app_name: 'App', url: 'https://store.steampowered.com/app/5/' }
  const texts = {
    tagline: await htmlToText(page.short_text),
    description: await htmlToMarkdown(page.long_text, MAX_DESCRIPTION),
  }
  const mapped = candidates(
    { app, page, tags: [], ...texts, images: undefined },
    newTarget.state,
    listingRules(defaultSettings),
  )
  return planImport(mapped, newTarget.current, {
    groups: ['text', 'taxonomy', 'status', 'press', 'price', 'age', 'store_link', 'images'],
    overwrite: false,
  })
}

const taxonomyFields = [
  'genres',
  'tags',
  'tone',
  'inputs',
  'net',
  'players_min',
  'players_max',
  'session_bucket',
  'content_warnings',
]

test('any page gives a plan with every field once, and only valid values', async () => {
  const at = { refusal: 'MALFORMED', field: 'x' } as const
  await fc.assert(
    fc.asyncProperty(pages, async (page) => {
      const { imported, skipped, kept } = await planOf(page)
      assert.deepEqual(fieldsOf([...imported, ...skipped, ...kept]).toSorted(), fields.toSorted())
      for (const { reason } of skipped) assert.ok(reason)
      const values = Object.fromEntries(
        imported.map(({ field, value }) => [field, value]),
      ) as Record<string, any>
      requiredText(at, values.name, MAX_NAME)
      plainText(at, values.tagline, MAX_TAGLINE)
      markdown(at, values.description, MAX_DESCRIPTION)
      const taxonomy = Object.fromEntries(taxonomyFields.map((field) => [field, values[field]]))
      checkTaxonomy(JSON.parse(JSON.stringify(taxonomy)), { players_min: null, players_max: null })
      const { release_date, website_url, trailer_url, credits } = values
      checkPressKit({ release_date, website_url, trailer_url, credits })
      assert.ok(
        values.price_cents === undefined ||
          (Number.isInteger(values.price_cents) && values.price_cents <= 50_000),
      )
    }),
    { numRuns: 600 },
  )
})

test('a missing, mistyped or huge field skips only the fields that depend on it', async () => {
  const complete = fieldsOf((await planOf(example)).imported)
  for (const [key, inner] of paths)
    for (const value of [
      undefined,
      null,
      5,
      'x',
      [],
      {},
      'y'.repeat(100_000),
      Array(5000).fill(null),
    ]) {
      const plan = await planOf(spoiled([[[key!, ...(inner ? [inner] : [])], value]]))
      const lost = complete.filter((field) => !fieldsOf(plan.imported).includes(field))
      assert.ok(lost.length <= 4, `${key}.${inner} as ${typeof value} lost ${lost}`)
    }
})

test('corrupted pages never cause an internal error', async () => {
  const { app, imported, listing, a } = await startApp()
  const people = await Promise.all(Array.from({ length: 5 }, () => a.developer()))
  let imports = 0
  const samples = fc.sample(pages, { numRuns: 25, seed: 7 })
  for (const page of samples) {
    const who = people[imports++ % people.length]!
    const answer = await imported(who, {
      ...app({ ...page, type: 'game', steam_appid: undefined, screenshots: [] }),
    })
    assert.ok(answer.status === 200, JSON.stringify(answer.body))
    const { game_uid } = must(answer)
    assert.ok((await listing(who, game_uid)).name)
  }
})
