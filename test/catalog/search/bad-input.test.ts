import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../support/property.ts'
import { emptySearch, SEARCH, startSearch } from './fixtures.ts'

test('answers metacharacters, thousands of values, long queries and absurd numbers', async (t) => {
  const app = await emptySearch(t)
  await app.createListing({ name: "O'Neil 100% (beta) [x] \\d+ .*", tags: ['odd'] })
  await app.waitForIndex()
  const totalOf = async (query: string) => (await app.search(query)).total
  for (const text of [
    "o'neil",
    '100%',
    '(beta)',
    '[x]',
    '\\d+',
    "'; drop table listings; --",
    '%_%',
    '.*',
    '"',
  ])
    assert.equal(typeof (await totalOf(`q=${encodeURIComponent(text)}`)), 'number', text)
  assert.equal(await totalOf(`q=${encodeURIComponent("o'neil 100% (beta")}`), 1)
  assert.equal(
    await totalOf(`q=${encodeURIComponent('.* \\ " -- %')}`),
    1,
    'a query without words filtered the results',
  )
  assert.equal(await totalOf(`q=${'neil+'.repeat(2_000)}`), 1)
  assert.equal(await totalOf(`q=${'x'.repeat(10_000)}`), 0)
  assert.equal(
    await totalOf(`tags=${Array.from({ length: 1_500 }, (_, n) => `t${n}`).join(',')}`),
    0,
  )
  assert.equal(await totalOf(`${'genres=nonsense&'.repeat(700)}tags=odd`), 1)
  assert.equal(await totalOf(`tags=${','.repeat(5_000)}`), 1)
  for (const number of ['-1', '0', '1e9', '99999999999999999999999', 'NaN', '0x10', '１'])
    for (const name of ['page_size', 'players', 'page'])
      assert.equal(typeof (await totalOf(`${name}=${number}`)), 'number')
})

test('rejects broken UTF-8 and NUL with code 4000', async (t) => {
  const app = await emptySearch(t)
  for (const q of ['%ED%A0%80', '%00', '%FF']) {
    const { status, body } = await app.get(`${SEARCH}?q=${q}`)
    assert.ok(status === 400 ? body.error.code === 4000 : status === 200, `${q}: ${status}`)
  }
  assert.equal((await app.get(`${SEARCH}?q=%00`)).status, 400)
})

test('answers every generated query string', async (t) => {
  const app = await startSearch(t, { PROXY_HOPS: '1' })
  await app.createListing({ name: 'Something', tags: ['some', 'tags'] })
  const names = [
    'q',
    'search',
    'tags',
    'genres',
    'os',
    'arch',
    'players',
    'engine',
    'engine_version',
    'renderer',
    'sort',
    'page',
    'page_size',
    'facets',
    'license',
  ]
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('constructor', '__proto__', 'toString', 'linux', '4.2', 'tags,genres'),
  )
  const query = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 })
  let caller = 0
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      const text = pairs
        .map(([name, value]) => `${name}=${encodeURIComponent(value.replaceAll('\0', ''))}`)
        .join('&')
      const { status } = await app.get(`${SEARCH}?${text}`, {
        headers: { 'x-forwarded-for': `198.51.100.${++caller % 250}` },
      })
      assert.equal(status, 200)
    }),
    { numRuns: 200 },
  )
})
