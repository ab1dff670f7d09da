import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkTranslations,
  MAX_TRANSLATIONS,
  translationFor,
} from '../../src/listings/fields/translations.ts'
import { connect } from '../agents/mcp-client.ts'
import { eventually } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { errorsOf } from '../web/browser.ts'
import { startDashboard } from '../web/dashboard-fixtures.ts'
import { startStore } from '../web/fixtures.ts'

const german = { tagline: 'Ruder bei Ebbe hinaus', description: '## Das Boot\n\nEs schwimmt.' }
const at = { refusal: 'MALFORMED', field: 'translations' } as const
const apiOf = (uid: string) => `/api/v1/private/games/${uid}`
const textOf = (body: string) => body.replaceAll(/\s+/g, ' ')

test('translations have codes, and texts with the limits of the originals', () => {
  const texts = (length: number) => ({ tagline: 'x'.repeat(length) })
  assert.deepEqual(checkTranslations(at, { 'PT-br': { description: 'Olá' } }), {
    'pt-BR': { tagline: '', description: 'Olá' },
  })
  assert.deepEqual(checkTranslations(at, {}), {})
  assert.deepEqual(checkTranslations(at, null), {})
  checkTranslations(at, { de: texts(255) })
  checkTranslations(at, { de: { description: 'x'.repeat(20_000) } })
  const codes = [...'abcdefghijklmnopqrstu'].map((letter) => `a${letter}`)
  const many = (count: number) =>
    Object.fromEntries(codes.slice(0, count).map((code) => [code, texts(1)]))
  checkTranslations(at, many(MAX_TRANSLATIONS))
  const invalid: unknown[] = [
    many(MAX_TRANSLATIONS + 1),
    { de: texts(256) },
    { de: { description: 'x'.repeat(20_001) } },
    { de: { tagline: 'two\nlines' } },
    { de: { description: 'a\u0000b' } },
    { de: {} },
    { de: { tagline: ' ', description: '\n' } },
    { de: { tagline: 5 } },
    { de: { ...texts(1), name: 'Boot' } },
    { de: 'Boot' },
    { german: texts(1) },
    { '': texts(1) },
    { de: texts(1), DE: texts(1) },
    { 'de ': texts(1), de: texts(1) },
    [german],
    'de',
  ]
  for (const value of invalid)
    assert.throws(() => checkTranslations(at, value), { refusal: 'MALFORMED' })
})

for (const [language, code] of [
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE', 'de'],
  ['pt', 'pt-BR'],
  ['pt-PT', undefined],
  ['zh-hant-tw', 'zh-Hant'],
  ['fr', undefined],
  ['original', undefined],
  ['', undefined],
  ['*', undefined],
] as const)
  test(`a reader of "${language}" gets ${code ?? 'the original'}`, () =>
    assert.equal(translationFor(['de', 'pt-BR', 'zh-Hant'], language), code))

test('the API and agents edit translations, and search finds their words', async (t) => {
  const { published, patch, get, a, url } = await startStore(t)
  const listing = await published()
  const api = apiOf(listing.uid)
  const uidsFor = async (q: string): Promise<string[] | undefined> => {
    const { body } = await get(`/api/v1/public/search?q=${q}`)
    return body.data?.items?.map(({ uid }: { uid: string }) => uid)
  }
  assert.deepEqual(must(await get(api, listing.owner)).translations, {})
  const changed = must(await patch(api, { translations: { de: german } }, listing.owner))
  assert.deepEqual(changed.translations, { de: german })
  const page = must(await get(`/api/v1/public/games/${listing.uid}`))
  assert.deepEqual(page.translations, { de: german })
  assert.equal(page.tagline, must(await get(api, listing.owner)).tagline)
  await eventually('a word of the tagline', async () => (await uidsFor('ebbe'))?.length === 1)
  assert.deepEqual(await uidsFor('schwimmt'), [listing.uid])
  const line = JSON.parse((await get('/api/v1/public/export')).body)
  assert.deepEqual(line.translations, { de: german })

  const refusal = await patch(api, { translations: { de: {} } }, listing.owner)
  assert.deepEqual(refused(refusal), [400, 4000])
  assert.equal(refusal.body.data.field, 'translations.de')
  assert.deepEqual(must(await get(api, listing.owner)).translations, { de: german })

  const { key } = await a.key('agent', listing.owner, ['mcp:read', 'mcp:catalog.write'])
  const agent = await connect(t, url, '/mcp', key)
  const french = { fr: { tagline: 'Ramez', description: '' } }
  await agent.call('update_game', { uid: listing.uid, translations: french })
  assert.deepEqual(must(await get(api, listing.owner)).translations, french)
  await eventually('the German words to be gone', async () => (await uidsFor('ebbe'))?.length === 0)
})

test('the page shows the translation that the visitor reads and offers the original', async (t) => {
  const { published, patch, get, a, signedIn } = await startStore(t)
  const listing = await published({}, { tagline: 'Row out at low tide' })
  const french = { tagline: 'Ramez à marée basse', description: '' }
  const translations = { de: german, fr: french }
  must(await patch(apiOf(listing.uid), { translations }, listing.owner))
  const open = async (language: string, query = '', cookie = '') => {
    const headers = { 'accept-language': language, ...(cookie && { cookie }) }
    return textOf((await get(`${listing.path}${query}`, { headers })).body)
  }
  const translated = await open('de-AT, en;q=0.5')
  assert.match(translated, /<p class="lede" lang="de" dir="auto">Ruder bei Ebbe hinaus</)
  assert.match(translated, /<div lang="de" dir="auto">.{0,40}<h\d[^>]*>Das Boot</)
  assert.match(translated, /Angezeigt auf Deutsch, übersetzt vom Entwickler\./)
  assert.match(translated, /href="[^"]*\?text=original">Original anzeigen</)
  const original = await open('de', '?text=original')
  assert.match(original, /<p class="lede">Row out at low tide</)
  assert.match(original, /Originaltext\. <a href="[^"]*\?text=de">Auf Deutsch anzeigen/)
  const english = await open('en, de;q=0.5')
  assert.match(english, /<p class="lede">Row out at low tide</)
  assert.doesNotMatch(english, /text=original/)
  // The website is not in French, but the text is; its description is still the original one.
  const mixed = await open('fr')
  assert.match(mixed, /Ramez à marée basse/)
  assert.match(mixed, /Shown in French, translated by the developer\. <a[^>]*>Show original</)
  assert.match(await open('en', '?text=fr'), /Ramez à marée basse/)
  assert.match(await open('en', '?text=xx&text=yy'), /Row out at low tide/)
  assert.match(await open('fr', '', 'svc_language=de'), /Ruder bei Ebbe hinaus/)

  const player = await a.verified()
  const { body } = await signedIn(player).open(listing.path, { 'accept-language': 'de' })
  assert.match(body, /Ruder bei Ebbe hinaus/)
})

test('the dashboard adds, keeps, refuses and removes translations', async (t) => {
  const { owner, at, read, pageForm } = await startDashboard(t)
  const names = ['code', 'tagline', 'description'].map((column) => `translations.${column}`)
  const save = async (rows: string[][]) => {
    const columns = names.map((name, i) => [name, rows.map((row) => row[i]!)])
    return owner.send(at('page'), await pageForm(Object.fromEntries(columns)))
  }
  const boat = ['de', german.tagline, german.description]
  assert.equal((await save([boat])).status, 303)
  assert.deepEqual((await read()).translations, { de: german })
  const page = (await owner.open(at('page'))).body
  assert.match(page, /<summary>German<\/summary>/)
  assert.match(page, /<summary>Add a language<\/summary>/)
  // A form that changes another field sends the translations as they are.
  assert.equal((await owner.send(at('page'), await pageForm({ tagline: 'New' }))).status, 303)
  assert.deepEqual((await read()).translations, { de: german })

  for (const [rows, message] of [
    [[boat, ['klingon', 'x', '']], /klingon.* is not a BCP 47 language code/],
    [[boat, ['', 'no code', '']], /language code/],
    [[boat, ['de', 'again', '']], /de is listed twice/],
    [[boat, ['fr', 'x'.repeat(256), '']], /255/],
  ] as const) {
    const { status, body } = await save(rows as unknown as string[][])
    assert.equal(status, 400)
    assert.match(errorsOf(body).join(), message)
    assert.match(body, /<details class="translation" open>/)
  }
  assert.deepEqual((await read()).translations, { de: german })
  assert.equal(
    (
      await save([
        ['de', '', ''],
        ['fr', 'Ramez', ''],
      ])
    ).status,
    303,
  )
  assert.deepEqual((await read()).translations, { fr: { tagline: 'Ramez', description: '' } })
})
