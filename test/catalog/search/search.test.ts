import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stage } from './stage.ts'

test('a public listing is found by its words, its tags and its filters', async (t) => {
  const { listed, settled, names, search } = await stage(t)
  await listed({ name: 'Café Tycoon', tags: ['tower-defense', 'cozy'], genres: ['management'], tagline: 'Brew and build' })
  await listed({ name: 'Night Drive', tags: ['racing'], genres: ['racing'], description: 'A cafe by the road' })
  await listed({ name: 'Draft', visibility: 'draft', tags: ['cozy'] })
  await settled()
  assert.deepEqual(await names('q=cafe'), ['Café Tycoon', 'Night Drive'])
  assert.deepEqual(await names('q=CAF%C3%89+road'), ['Night Drive'])
  assert.deepEqual(await names('tags=cozy'), ['Café Tycoon'])
  assert.deepEqual(await names('genres=racing'), ['Night Drive'])
  assert.deepEqual(await names(''), ['Night Drive', 'Café Tycoon'])
  const { items, total, page, page_size } = await search('q=tower+defen')
  assert.deepEqual([total, page, page_size, items[0].matched_tags], [1, 1, 20, ['tower-defense']])
})
