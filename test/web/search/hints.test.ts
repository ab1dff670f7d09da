import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance } from '../../../src/catalog/search/query/spelling.ts'
import { emptySearch } from '../../catalog/search/fixtures.ts'
import { fc } from '../../support/property.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'

const spellingIn = (body: string) => body.match(/Did you mean <a href="([^"]+)">([^<]+)<\/a>/)
const withoutAvatars = (body: string) =>
  body.replaceAll(/<span class="avatar[^>]*>[^<]*<\/span>/g, '')

const hintsIn = (body: string) =>
  [...withoutAvatars(body).matchAll(/<a class="hint" href="([^"]+)">([^<]+)<\/a>/g)].map(
    ([, url, text]) => [url!.replaceAll('&amp;', '&'), text!.trim()],
  )

test('a search with few results offers the nearest spelling that finds more', async (t) => {
  const { get, put, a, createListing, waitForIndex } = await emptySearch(t)
  for (let n = 0; n < 3; n++) await createListing({ name: `Lanterns of Harbour ${n}` })
  await createListing({ name: 'Land', tags: ['lanterna'] })
  await createListing({ name: 'Secret Adult Submarine', adult: true })
  await createListing({ name: 'Hidden Xylophone', visibility: 'invisible' })
  await waitForIndex()
  const open = async (query: string, who?: { token: string }) =>
    (await get(`/search?${query}`, who ? { headers: { cookie: `svc_session=${who.token}` } } : {}))
      .body as string
  const [, url, text] = spellingIn(await open('q=lamterms&asset_type=game'))!
  assert.equal(text, 'lanterns')
  assert.equal(url, '/search?q=lanterns&amp;asset_type=game', 'other filters stay')
  assert.equal(spellingIn(await open('q=lamterms harbor'))![2], 'lanterns harbour')
  assert.equal(spellingIn(await open('q=lamterms&os=linux')), null, 'it would find nothing either')
  assert.equal(spellingIn(await open('q=lanterns')), null)
  assert.equal(spellingIn(await open('q=lant')), null, 'the last word may be unfinished')
  assert.equal(spellingIn(await open('q=zzzzzzzz')), null)
  assert.equal(spellingIn(await open('q=xylofone')), null, 'a word of a hidden listing')
  assert.equal(spellingIn(await open('q=submamine')), null, 'a word of an adult listing')
  const adult = await a.verified()
  await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, adult)
  assert.match(await open('q=submamine', adult), /Secret Adult Submarine/)
})

test('words that name filters, tags or developers are offered as such', async (t) => {
  const { get, a, createListing, waitForIndex } = await emptySearch(t)
  const owner = await a.developer({ username: 'cozy-works' })
  await createListing({ owner_uid: owner.uid, name: 'Night Train', tags: ['slow-travel'] })
  await waitForIndex()
  const open = async (q: string, more = '', language = 'en') => {
    const url = `/search?q=${encodeURIComponent(q)}${more}`
    return (await get(url, { headers: { 'accept-language': language } })).body as string
  }
  assert.deepEqual(hintsIn(await open('linux cozy trains')), [
    ['/search?q=trains&os=linux&tone=cozy', 'All: Linux + Cozy'],
    ['/search?q=cozy%20trains&os=linux', 'Platform: Linux'],
    ['/search?q=linux%20trains&tone=cozy', 'Tone: Cozy'],
  ])
  assert.deepEqual(hintsIn(await open('mac', '&tone=cozy')), [
    ['/search?tone=cozy&os=macos', 'Platform: macOS'],
  ])
  assert.deepEqual(hintsIn(await open('linux', '&os=linux')), [], 'the filter is set already')
  assert.deepEqual(hintsIn(await open('cozy works')), [
    ['/cozy-works', 'Developer: cozy-works'],
    ['/search?q=works&tone=cozy', 'Tone: Cozy'],
  ])
  assert.deepEqual(hintsIn(await open('slow travel')), [
    ['/search?tags=slow-travel', 'Tag: slow-travel'],
  ])
  assert.deepEqual(hintsIn(await open('constructor')), [])
  assert.deepEqual(hintsIn(await open('gemütlich', '', 'de')), [
    ['/search?tone=cozy', 'Stimmung: Gemütlich'],
  ])
  const body = await open('night')
  assert.doesNotMatch(body, /class="search-hints"/)
  assert.doesNotMatch(await open('linux', '&page=2'), /class="search-hints"/)
})

test('words that name a session length are offered as that filter', async (t) => {
  const { get, createListing, waitForIndex } = await emptySearch(t)
  await createListing({ name: 'Night Train' })
  await waitForIndex()
  const hintsFor = async (q: string, language = 'en') => {
    const url = `/search?q=${encodeURIComponent(q)}`
    return hintsIn((await get(url, { headers: { 'accept-language': language } })).body as string)
  }
  const short = [['/search?session_bucket=15m', 'Session length: About 15 minutes']]
  for (const q of ['15 minutes', '15 min', '15min', '15-minute', '15 Minuten', 'about 15 minutes'])
    assert.deepEqual(await hintsFor(q), short, q)
  for (const q of ['1 hour', 'an hour', '60 min', 'eine Stunde', '1 h'])
    assert.equal((await hintsFor(q))[0]?.[0], '/search?session_bucket=1h', q)
  assert.deepEqual(await hintsFor('15 Minuten', 'de'), [
    ['/search?session_bucket=15m', 'Spieldauer: Etwa 15 Minuten'],
  ])
  assert.deepEqual(await hintsFor('cozy trains 15 minutes linux'), [
    [
      '/search?q=trains&tone=cozy&session_bucket=15m&os=linux',
      'All: Cozy + About 15 minutes + Linux',
    ],
    ['/search?q=trains%2015%20minutes%20linux&tone=cozy', 'Tone: Cozy'],
    ['/search?q=cozy%20trains%20linux&session_bucket=15m', 'Session length: About 15 minutes'],
    ['/search?q=cozy%20trains%2015%20minutes&os=linux', 'Platform: Linux'],
  ])
  for (const q of ['20 minutes', '15', 'minutes', '15 apples', '15 constructor'])
    assert.deepEqual(await hintsFor(q), [], q)
})

test('edit distances agree with the definition for any two words', () => {
  const code = (word: string) => Array.from(word, (letter) => letter.codePointAt(0)!)
  const distance = (a: string, b: string): number => {
    if (!a || !b) return a.length + b.length
    const same = a.at(-1) === b.at(-1) ? 0 : 1
    const short = [a.slice(0, -1), b.slice(0, -1)] as const
    const is_swap = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
    return Math.min(
      distance(short[0], b) + 1,
      distance(a, short[1]) + 1,
      distance(...short) + same,
      is_swap ? distance(a.slice(0, -2), b.slice(0, -2)) + 1 : Number.POSITIVE_INFINITY,
    )
  }
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 })
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, max) => {
      assert.equal(editDistance(code(a), code(b), max), Math.min(distance(a, b), max + 1))
    }),
  )
})

test('a skip link leads past the filters, and exclusions are named', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, get, createListing, waitForIndex } = await emptySearch(t)
  await createListing({ name: 'Night Train', tone: ['cozy'], tags: ['night'] })
  await waitForIndex()
  const excluded = (await get('/search?exclude_tags=night')).body
  assert.match(excluded, />\s*Without Night<span class="sr">, remove filter<\/span>/)
  const { page, problems } = await openTab(await startChromium(t), url, {})
  await page.goto(`${url}/search?q=night%20train`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to results')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.id'), 'results')
  await page.keyboard.press('Tab')
  assert.equal(
    await page.evaluate(`document.activeElement.closest('#results') !== null`),
    true,
    'the next stop is in the results',
  )
  assert.match(await page.content(), />Exclude<span class="sr"> Night<\/span><\/a>/)
  assert.deepEqual(await axeViolations(page), [])
  assert.deepEqual(problems, [])
})
