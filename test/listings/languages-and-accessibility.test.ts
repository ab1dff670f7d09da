import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../agents/mcp-client.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { errorsOf } from '../web/browser.ts'
import { startDashboard } from '../web/dashboard-fixtures.ts'
import { startStore } from '../web/fixtures.ts'

const german = { code: 'de', interface: true, audio: true, subtitles: true }
const portuguese = { code: 'pt-BR', interface: false, audio: false, subtitles: true }
const languages = [german, portuguese]
const accessibility = ['subtitles', 'remappable-controls']
const taxonomyUrl = (uid: string) => `/api/v1/private/games/${uid}/taxonomy`

test('a new listing has neither languages nor accessibility features', async (t) => {
  const { a, get } = await startStore(t)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const page = must(await get(`/api/v1/private/games/${listing.uid}`, listing.owner))
  assert.deepEqual([page.languages, page.accessibility], [[], []])
})

test('the taxonomy stores both, and the API, the export and the page show them', async (t) => {
  const { published, put, get, visitor } = await startStore(t)
  const listing = await published()
  const answer = must(
    await put(
      taxonomyUrl(listing.uid),
      { languages: [german, { code: 'PT-br', subtitles: true }], accessibility },
      listing.owner,
    ),
  )
  assert.deepEqual([answer.languages, answer.accessibility], [languages, accessibility])
  const page = must(await get(`/api/v1/public/games/${listing.uid}`))
  assert.deepEqual([page.languages, page.accessibility], [languages, accessibility])
  const line = JSON.parse((await get('/api/v1/public/export')).body)
  assert.deepEqual([line.languages, line.accessibility], [languages, accessibility])
  const { body } = await visitor().open(listing.path)
  const text = body.replaceAll(/\s+/g, ' ')
  assert.match(text, /<dt>Languages<\/dt>.*search\?languages=de">German<\/a> \(interface, audio,/)
  assert.match(text, /search\?languages=pt-BR">Brazilian Portuguese<\/a> \(subtitles\)/)
  assert.match(text, /<dt>Accessibility<\/dt>.*search\?accessibility=remappable-controls"/)
  const llms = await visitor().open(`${listing.path}/llms.txt`)
  assert.match(llms.body, /^- Languages: German \(interface, audio, subtitles\), Brazilian/m)
  assert.match(llms.body, /^- Accessibility: Subtitles, Remappable controls$/m)
})

test('the taxonomy rejects unknown features and languages without a flag', async (t) => {
  const { a, put } = await startStore(t)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const send = async (body: object) => {
    const { status, body: answer } = await put(taxonomyUrl(listing.uid), body, listing.owner)
    return [status, answer.error?.code, answer.data?.field]
  }
  assert.deepEqual(await send({ accessibility: ['braille'] }), [422, 4071, 'accessibility'])
  assert.deepEqual(await send({ accessibility: 'subtitles' }), [422, 4071, 'accessibility'])
  assert.deepEqual(await send({ languages: [{ code: 'de' }] }), [422, 4071, 'languages[0]'])
})

test('search filters and counts by language and by accessibility feature', async (t) => {
  const { published, get, visitor } = await startStore(t)
  const filled = await published({ name: 'Both' }, {}, { languages, accessibility })
  const other = await published(
    { name: 'Other' },
    {},
    { languages: [{ ...german, code: 'de-AT' }] },
  )
  await published({ name: 'Neither' })
  const search = async (query: string) => must(await get(`/api/v1/public/search?${query}`))
  const uids = async (query: string) =>
    (await search(query)).items.map(({ uid }: { uid: string }) => uid).sort()
  await eventually(
    'the index to contain all three listings',
    async () => (await search('')).total === 3,
  )
  assert.deepEqual(await uids('languages=de'), [filled.uid, other.uid].sort())
  assert.deepEqual(await uids('languages=DE-at'), [other.uid])
  assert.deepEqual(await uids('languages=pt,fr'), [filled.uid])
  assert.deepEqual(await uids('languages=fr'), [])
  assert.equal((await uids('languages=not%20a%20code')).length, 3)
  assert.deepEqual(await uids('accessibility=subtitles'), [filled.uid])
  assert.deepEqual(await uids('accessibility=mono-audio'), [])
  assert.equal((await uids('accessibility=braille')).length, 3)
  const { items, facets } = await search('accessibility=subtitles&facets=languages,accessibility')
  assert.deepEqual([items[0].languages, items[0].accessibility], [languages, accessibility])
  assert.deepEqual(facets.languages, [
    { value: 'de', count: 1 },
    { value: 'pt', count: 1 },
    { value: 'pt-BR', count: 1 },
  ])
  assert.deepEqual(facets.accessibility, [
    { value: 'remappable-controls', count: 1 },
    { value: 'subtitles', count: 1 },
  ])
  assert.deepEqual((await search('facets=languages')).facets.languages[0], {
    value: 'de',
    count: 2,
  })
  const { body } = await visitor().open('/search?languages=de')
  assert.match(body, /<summary>Languages/)
  assert.match(body, /href="\/search\?languages=de,pt-BR"/)
  assert.match(body, /<summary>Accessibility/)
})

test('the dashboard form shows, saves and validates languages and features', async (t) => {
  const { put, listing, owner, read, at, pageForm } = await startDashboard(t)
  must(await put(taxonomyUrl(listing.uid), { languages, accessibility }, listing.owner))
  const form = (await owner.open(at('page'))).body
  assert.match(form, /name="languages\.code"[^>]*value="pt-BR"/)
  assert.match(form, /name="languages\.subtitles"[^>]*value="1"[^>]*checked/)
  assert.doesNotMatch(form, /name="languages\.audio"[^>]*value="1"[^>]*checked/)
  assert.match(form, /name="accessibility" value="subtitles" checked/)
  const changes = {
    'languages.code': ['fr', '', 'ja'],
    'languages.interface': ['0', '2'],
    'languages.audio': [],
    'languages.subtitles': '2',
    accessibility: 'mono-audio',
  }
  await owner.submit(at('page'), await pageForm(changes))
  const page = await read()
  assert.deepEqual(page.languages, [
    { code: 'fr', interface: true, audio: false, subtitles: false },
    { code: 'ja', interface: true, audio: false, subtitles: true },
  ])
  assert.deepEqual(page.accessibility, ['mono-audio'])
  const invalid = {
    'languages.code': ['german', 'fr'],
    'languages.interface': ['0', '1'],
    'languages.subtitles': [],
  }
  const rejected = await owner.send(at('page'), await pageForm(invalid))
  assert.equal(rejected.status, 422)
  assert.match(errorsOf(rejected.body).join(), /is not a BCP 47 language code/)
  assert.match(rejected.body, /name="languages\.code"[^>]*value="german"/)
  assert.match(rejected.body, /name="languages\.interface"[^>]*value="1"[^>]*checked/)
  const empty = {
    'languages.code': [],
    'languages.interface': [],
    'languages.subtitles': [],
    accessibility: [],
  }
  await owner.submit(at('page'), await pageForm(empty))
  const cleared = await read()
  assert.deepEqual([cleared.languages, cleared.accessibility], [[], []])
})

test('the taxonomy tool describes and edits languages and features', async (t) => {
  const { a, url } = await startStore(t)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const { key } = await a.key('agent', listing.owner, ['mcp:read', 'mcp:write'])
  const agent = await connect(t, url, '/mcp', key)
  const tool = (await agent.list()).find(({ name }) => name === 'update_game_taxonomy')!
  const properties = tool.inputSchema.properties as Record<string, any>
  assert.equal(properties.languages.maxItems, 40)
  assert.deepEqual(Object.keys(properties.languages.items.properties), [
    'code',
    'interface',
    'audio',
    'subtitles',
  ])
  assert.equal(properties.accessibility.items.enum.length, 10)
  const uid = listing.uid
  const { data } = await agent.call('update_game_taxonomy', { uid, languages, accessibility })
  assert.deepEqual([data.languages, data.accessibility], [languages, accessibility])
  const { refused } = await agent.call('update_game_taxonomy', {
    uid,
    languages: [{ code: 'german', audio: true }],
  })
  assert.deepEqual([refused?.status, refused?.data.field], [422, 'languages[0].code'])
})

test('OpenAPI describes both fields and their search parameters', async (t) => {
  const { get } = await startStore(t)
  const { paths, components } = (await get('/api/v1/public/openapi.json')).body
  const resolve = (schema: any): any =>
    schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema
  const parameters = paths['/api/v1/public/search'].get.parameters.map(
    ({ name }: { name: string }) => name,
  )
  assert.ok(parameters.includes('languages') && parameters.includes('accessibility'))
  const page = paths['/api/v1/public/games/{game_id}'].get.responses['200']
  const answer = resolve(page.content['application/json'].schema)
  const { properties } = resolve(answer.properties.data)
  assert.deepEqual(Object.keys(resolve(properties.languages.items).properties), [
    'code',
    'interface',
    'audio',
    'subtitles',
  ])
  assert.ok(resolve(properties.accessibility.items).enum.includes('pause-anytime'))
})
