import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../support/builders.ts'
import { SETTINGS, sharedConsole, startConsole } from './fixtures.ts'

const startShared = sharedConsole()

const SHELF = '/api/v1/public/shelves/editors_picks'
const GAMES = '/api/v1/private/games'
const headings = (body: string) =>
  [...body.matchAll(/<h2 id="shelf-(\w+)"/g)].map(([, kind]) => kind)

test('operators set the heading, the text and the large image of the home page', async (t) => {
  const { set, visitor, signedIn, published } = await startShared(t)
  const { owner } = await published()
  assert.match((await visitor().open('/')).body, /class="spotlight"/)
  await set({ hero_title: 'The <Harbor>', hero_text: 'Small games & tools.', hero_image: false })
  const page = (await visitor().open('/')).body
  assert.match(page, /<h1>The &lt;Harbor&gt;<\/h1>\s*<p>Small games &amp; tools\.<\/p>/)
  assert.doesNotMatch(page, /class="spotlight"/)
  assert.doesNotMatch((await signedIn(owner).open('/')).body, /Small games/)
  await set({ hero_title: null, hero_text: null, hero_image: null })
  assert.doesNotMatch((await visitor().open('/')).body, /Harbor/)
})

test('the home page has the shelves that operators chose, in their order', async (t) => {
  const { set, visitor, published, patch, operator } = await startConsole(t)
  await published({ name: 'Spotlight' })
  await published()
  await published({ asset_type: 'dev_asset' })
  assert.equal(headings((await visitor().open('/')).body).at(-1), 'tools_and_assets')
  await set({ shelves: ['tools_and_assets', 'recently_updated', 'new'], hero_image: false })
  assert.deepEqual(headings((await visitor().open('/')).body), [
    'tools_and_assets',
    'recently_updated',
  ])
  await set({ shelves: ['new'] })
  assert.deepEqual(headings((await visitor().open('/')).body), ['new'])
  await set({ shelves: ['editors_picks'] })
  const empty = (await visitor().open('/')).body
  assert.deepEqual(headings(empty), [])
  assert.doesNotMatch(empty, /class="empty"/)
  for (const shelves of [[], ['new', 'new'], ['unknown'], 'new'])
    assert.deepEqual(refused(await patch(SETTINGS, { shelves }, operator)), [400, 4000])
})

test('picks have their order and a word each, and leave out what a visitor cannot see', async (t) => {
  const { set, get, patch, visitor, published, a } = await startShared(t)
  const owner = await a.verifiedDeveloper()
  const first = await published({ owner, name: 'First' })
  const second = await published({ owner, name: 'Second' })
  const draft = await a.listing({ owner, name: 'Hidden draft' })
  const adult = await published({ owner, name: 'Adult' }, { adult: true })
  assert.deepEqual(must(await get(SHELF)).items, [])
  await set({
    picks: [
      { listing: draft.uid, note: 'Not yet' },
      { listing: second.vanity_name, note: 'Rings <true>' },
      { listing: adult.uid, note: '' },
      { listing: first.uid, note: '' },
      { listing: second.uid, note: 'Again' },
    ],
  })
  const shelf = must(await get(SHELF))
  assert.deepEqual(
    shelf.items.map(({ name, note }: Record<string, string>) => [name, note]),
    [
      ['Second', 'Again'],
      ['First', ''],
    ],
  )
  assert.equal(must(await get(`${SHELF}?limit=1`)).items.length, 1)
  await set({ hero_image: false })
  const page = (await visitor().open('/')).body
  assert.equal(headings(page)[0], 'editors_picks')
  assert.match(page, /class="card-line">Again</)
  assert.doesNotMatch(page, /Hidden draft|Adult/)
  must(await patch(`${GAMES}/${second.uid}`, { visibility: 'draft' }, owner))
  assert.deepEqual(
    must(await get(SHELF)).items.map(({ name }: { name: string }) => name),
    ['First'],
  )
})

test('picks are checked: at most 12, with a word of at most 200 characters', async (t) => {
  const { patch, operator, published, a, sql } = await startShared(t)
  await published({ name: 'Tide Bell' })
  const pick = (note = '') => ({ listing: 'tide-bell', note })
  const save = (picks: unknown) => patch(SETTINGS, { picks }, operator)
  for (const wrong of [
    Array.from({ length: 13 }, () => pick()),
    [pick('x'.repeat(201))],
    [pick('two\nlines')],
    [{ listing: '', note: '' }],
    [{ listing: 'tide-bell' }],
    [{ ...pick(), more: 1 }],
  ])
    assert.deepEqual(refused(await save(wrong)), [400, 4000], JSON.stringify(wrong).slice(0, 60))
  const draft = await a.listing()
  must(await save([{ listing: draft.uid, note: 'Soon' }, pick()]))
  const unknown = await save([pick(), { listing: 'no-such-listing', note: '' }])
  assert.deepEqual(refused(unknown), [400, 4000])
  assert.equal(unknown.body.data.field, 'picks[1].listing')
  assert.match(unknown.body.error.message, /there is no listing no-such-listing/)
  await sql`update all_listings set deleted_at = now() where uid = ${draft.uid}`
  assert.deepEqual(refused(await save([{ listing: draft.uid, note: '' }])), [400, 4000])
  must(await save(Array.from({ length: 12 }, () => pick('x'.repeat(200)))))
  assert.equal((await patch(SETTINGS, { hero_title: 'x'.repeat(121) }, operator)).status, 400)
  assert.equal((await patch(SETTINGS, { hero_text: 'x'.repeat(401) }, operator)).status, 400)
  must(await patch(SETTINGS, { hero_title: 'x'.repeat(120), hero_text: 'x'.repeat(400) }, operator))
})

test('the order of shelves and the picks are edited in the console', async (t) => {
  const { console: browser, get, operator, set, published } = await startConsole(t)
  await published({ name: 'Tide Bell' })
  await set({ shelves: ['new', 'tonight'], picks: [{ listing: 'tide-bell', note: 'Good' }] })
  const page = (await browser.open('/operator/settings')).body
  const chosen = [...page.matchAll(/<select\s+name="shelves"[^>]*>(.*?)<\/select>/gs)].map(
    ([, options]) => options!.match(/value="(\w*)"\s+selected/)?.[1],
  )
  assert.deepEqual(chosen.slice(0, 3), ['new', 'tonight', ''])
  const opened = page.match(/name="opened" value="([^"]*)"/)![1]!.replaceAll('&quot;', '"')
  const sent = await browser.send('/operator/settings', {
    opened: JSON.stringify({
      shelves: JSON.parse(opened).shelves,
      picks: JSON.parse(opened).picks,
    }),
    shelves: ['tonight', '', 'new', 'editors_picks'],
    'picks.0.listing': 'tide-bell',
    'picks.0.note': 'Better',
  })
  assert.equal(sent.status, 303)
  const { settings } = must(await get(SETTINGS, operator))
  assert.deepEqual(settings.shelves, ['tonight', 'new', 'editors_picks'])
  assert.deepEqual(settings.picks, [{ listing: 'tide-bell', note: 'Better' }])
})
