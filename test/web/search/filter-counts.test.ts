import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSearch } from '../../catalog/search/fixtures.ts'

/** The labels and counts of a group of the filter rail. */
function groupIn(body: string, title: string): Record<string, number> {
  const group = body
    .split('<details class="group"')
    .find((text) => new RegExp(`<summary>${title}\\b`).test(text))
  const rows = (group ?? '').matchAll(
    /<span>([^<]+)<\/span>\s*<span class="amount">([\d,]+)<\/span>/g,
  )
  return Object.fromEntries([...rows].map(([, label, count]) => [label, Number(count)]))
}

test('the choices of a filter group are counted without the selection of the group', async (t) => {
  const { get, search, createListing, build, waitForIndex } = await startSearch(t)
  const create = async (systems: string[], columns: Record<string, unknown>) => {
    const uid = await createListing({ name: 'Harbor', tone: ['cozy'], ...columns })
    for (const os of systems) await build(uid, os, 'universal')
  }
  await create(['linux'], { tags: ['boats'] })
  await create(['linux', 'macos'], { tags: ['boats'] })
  await create(['macos'], { tags: ['tides'], name: 'Lighthouse' })
  await create(['macos'], { tags: ['tides'], tone: ['dark'] })
  await create(['android'], { tags: ['tides'] })
  await waitForIndex()
  const open = async (query: string): Promise<string> => (await get(`/search?${query}`)).body
  const groupFor = async (query: string, title = 'Platform') => groupIn(await open(query), title)

  const all = { macOS: 3, Linux: 2, Android: 1 }
  assert.deepEqual(await groupFor(''), all)
  assert.deepEqual(await groupFor('os=linux'), all)
  assert.deepEqual(await groupFor('os=linux,macos'), all)
  assert.deepEqual(await groupFor('os=linux', 'Tone'), { Cozy: 2 }, 'other groups are narrowed')
  const cozy = { macOS: 2, Linux: 2, Android: 1 }
  assert.deepEqual(await groupFor('os=linux&tone=cozy'), cozy, 'by other filters they are')
  assert.deepEqual(await groupFor('os=linux&tone=cozy', 'Tone'), { Cozy: 2 })
  assert.deepEqual(await groupFor('os=macos&tone=cozy', 'Tone'), { Cozy: 2, Dark: 1 })
  assert.deepEqual(await groupFor('q=lighthouse&os=linux'), { macOS: 1, Linux: 0 })
  assert.deepEqual(await groupFor('q=harbor&os=linux'), { macOS: 2, Linux: 2, Android: 1 })
  assert.deepEqual(await groupFor('tags=tides', 'Tags'), { Boats: 2, Tides: 3 })
  assert.deepEqual(await groupFor('exclude_tone=dark&os=linux'), cozy, 'exclusions stay')

  const { facets } = await search('os=linux&facets=os')
  assert.deepEqual(
    facets.os,
    [
      { value: 'linux', count: 2 },
      { value: 'macos', count: 1 },
    ],
    'the API counts within the results',
  )
})
