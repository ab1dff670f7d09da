import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile((t) => startStore(t, { LANGUAGES: 'en,de' }))

const LANGUAGE = '/api/v1/private/settings/language'
const german = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' }
const languageOf = (body: string) => body.match(/<html lang="([\w-]+)"/)?.[1]

test('a page is in the language of the browser, of the cookie, or of the account', async (t) => {
  const { get, put, a } = await sharedStore(t)
  const open = async (headers: Record<string, string>) => (await get('/login', { headers })).body
  assert.equal(languageOf(await open({})), 'en')
  const page = await open(german)
  assert.equal(languageOf(page), 'de')
  assert.match(page, />\s*Registrieren\s*</)
  assert.equal(languageOf(await open({ ...german, cookie: 'svc_language=en' })), 'en')
  assert.equal(languageOf(await open({ ...german, cookie: 'svc_language=fr' })), 'de')

  const person = await a.user()
  const session = `svc_session=${person.token}`
  const openSettings = async (headers: Record<string, string>) =>
    languageOf((await get('/settings', { headers: { ...headers, cookie: session } })).body)
  assert.equal(await openSettings(german), 'de')
  assert.deepEqual(must(await put(LANGUAGE, { language: 'en' }, person)), { language: 'en' })
  assert.equal(await openSettings(german), 'en')
  assert.deepEqual(must(await put(LANGUAGE, { language: null }, person)), { language: null })
  assert.equal(await openSettings(german), 'de')
  for (const language of ['fr', 'EN', '', 5, 'x'.repeat(21)])
    assert.deepEqual(refused(await put(LANGUAGE, { language }, person)), [400, 4000])
})

test('pages say that they depend on the language, in their headers too', async (t) => {
  const { get, published } = await sharedStore(t)
  const { path } = await published()
  for (const url of ['/', '/search', path, `${path}/embed`]) {
    const { headers, body } = await get(url, { headers: german })
    assert.match(headers.vary!, /\bAccept-Language\b/, url)
    assert.equal(languageOf(body), 'de', url)
    const english = await get(url)
    assert.equal(languageOf(english.body), 'en', `${url} after the German page`)
  }
})

test('an address that does not exist answers in the language of the visitor', async (t) => {
  const { get } = await sharedStore(t)
  const headers = { ...german, accept: 'text/html' }
  const { status, body } = await get('/no/such/page', { headers })
  assert.equal(status, 404)
  assert.match(body, /Seite nicht gefunden/)
})

test('the footer offers the languages of the store and leads back to the page', async (t) => {
  const { call, get, a } = await sharedStore(t)
  const { body } = await get('/search')
  assert.match(body, /<button[^>]* value="de" lang="de"\s*>Deutsch</)
  const choose = (language: string, headers: Record<string, string> = {}) =>
    call('POST', '/settings/language', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      raw: new URLSearchParams({ language }).toString(),
    })
  const chosen = await choose('de', { referer: 'http://any.example/search?q=a' })
  assert.equal(chosen.status, 303)
  assert.equal(chosen.headers.location, '/search?q=a')
  assert.match(chosen.headers['set-cookie']!, /^svc_language=de; /)
  assert.equal((await choose('de')).headers.location, '/')
  assert.equal((await choose('de', { referer: 'no address' })).headers.location, '/')
  assert.equal((await choose('fr')).status, 404)

  const person = await a.user()
  await choose('de', { cookie: `svc_session=${person.token}` })
  const settings = await get('/settings', { headers: { cookie: `svc_session=${person.token}` } })
  assert.equal(languageOf(settings.body), 'de', 'the account remembers it on other devices')
})

test('a store with one language offers no choice', async (t) => {
  const { get } = await startStore(t, { LANGUAGES: 'en' })
  const { body } = await get('/search', { headers: german })
  assert.equal(languageOf(body), 'en')
  assert.doesNotMatch(body, /action="\/settings\/language"/)
})

test('a right-to-left language turns the page around', async (t) => {
  const { get } = await startStore(t, { LANGUAGES: 'en,ar-XB' })
  const { body } = await get('/search', { headers: { 'accept-language': 'ar-XB' } })
  assert.match(body, /<html lang="ar-XB" dir="rtl">/)
})
