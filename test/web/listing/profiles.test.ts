import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../support/app.ts'
import { addCopy, must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

const URL = '/api/v1/private/settings/profile'
const MAX_BIO = 2000
const MAX_LINKS = 8

test('a profile is empty at first, and keeps the parts that a change leaves out', async (t) => {
  const { a, get, put } = await sharedStore(t)
  const person = await a.verified()
  const read = async () => must(await get(URL, person))
  const no_images = { avatar: '', banner: '' }
  assert.deepEqual(await read(), { bio: '', links: [], is_public: false, ...no_images })
  const link = 'https://example.com/me'
  must(await put(URL, { bio: 'I row.', links: [link, link] }, person))
  must(await put(URL, { is_public: true }, person))
  assert.deepEqual(await read(), {
    bio: 'I row.',
    links: [link],
    is_public: true,
    ...no_images,
  })
  must(await put(URL, { bio: '', links: [], is_public: false }, person))
  assert.deepEqual(await read(), { bio: '', links: [], is_public: false, ...no_images })
  assert.equal((await get(URL)).status, 401)
  assert.equal((await put(URL, { bio: 'x' })).status, 401)
})

test('a profile is refused beyond its bounds', async (t) => {
  const { a, put } = await sharedStore(t)
  const person = await a.verified()
  const send = async (body: object) => {
    const answer = await put(URL, body, person)
    return answer.status === 200 ? [200] : [...refused(answer), answer.body.data?.field]
  }
  const links = (count: number) =>
    Array.from({ length: count }, (_, i) => `https://example.com/${i}`)
  assert.deepEqual(await send({ bio: 'x'.repeat(MAX_BIO) }), [200])
  assert.deepEqual(await send({ bio: 'x'.repeat(MAX_BIO + 1) }), [400, 4000, 'bio'])
  assert.deepEqual(await send({ bio: 7 }), [400, 4000, 'bio'])
  assert.deepEqual(await send({ links: links(MAX_LINKS) }), [200])
  assert.deepEqual(await send({ links: links(MAX_LINKS + 1) }), [400, 4000, 'links'])
  for (const link of ['http://example.com', 'javascript:alert(1)', 'https://localhost', 7])
    assert.deepEqual(await send({ links: [link] }), [400, 4000, 'links[0]'], String(link))
  assert.deepEqual(await send({ is_public: 'yes' }), [400, 4000, 'is_public'])
})

test('only a public profile has a page without a listing and links from reviews', async (t) => {
  const { a, published, put, get, sql, visitor, signedIn } = await sharedStore(t)
  const listing = await published()
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'free')
  const review = { enjoyed: true, quality: 4, text: 'It floats.' }
  must(await put(`/api/v1/private/games/${listing.uid}/review`, review, player))
  const bio = 'I row <b>far</b>. [Home](https://example.com/home)'
  must(await put(URL, { bio, links: ['https://example.com/me'] }, player))
  const page = `/${player.username}`
  const link = new RegExp(`<a href="${page}">${player.username}</a>`)
  const items = async () => must(await get(`/api/v1/public/games/${listing.uid}/reviews`)).items
  assert.equal((await visitor().open(page)).status, 404)
  assert.equal((await signedIn(player).open(page)).status, 200)
  assert.equal('has_profile' in (await items())[0], false)
  assert.doesNotMatch((await visitor().open(`${listing.path}/reviews`)).body, link)
  assert.doesNotMatch((await visitor().open(listing.path)).body, link)
  must(await put(URL, { is_public: true }, player))
  const opened = await visitor().open(page)
  assert.equal(opened.status, 200)
  assert.equal(opened.headers['x-robots-tag'], 'noindex')
  assert.match(opened.body, /I row &lt;b&gt;far&lt;\/b&gt;/)
  assert.match(opened.body, /<a href="https:\/\/example\.com\/me" rel="nofollow ugc noopener">/)
  assert.doesNotMatch(opened.body, /feed\.atom"|Create a project|Edit your profile/)
  assert.equal((await items())[0].has_profile, true)
  assert.match((await visitor().open(`${listing.path}/reviews`)).body, link)
  assert.match((await signedIn(player).open(listing.path)).body, link)
  assert.match((await visitor().open(listing.path)).body, link, 'the cached page changes too')
  must(await put(URL, { is_public: false }, player))
  assert.equal((await visitor().open(page)).status, 404)
  for (const path of [listing.path, `${listing.path}/reviews`])
    assert.doesNotMatch((await visitor().open(path)).body, link, path)
})

test('the page of a developer shows the text and links of their settings', async (t) => {
  const { published, visitor, signedIn } = await sharedStore(t)
  const { owner } = await published()
  const browser = signedIn(owner)
  const form = (await browser.open('/settings/profile')).body
  assert.match(form, /<textarea[^>]*name="bio"/)
  const fields = { bio: 'We build boats.', links: 'https://example.com/a\nhttps://example.com/b' }
  const saved = await browser.submit('/settings/profile', fields)
  assert.match(saved.body, /Your profile is saved/)
  assert.match(saved.body, />\s*We build boats\.<\/textarea>/)
  const body = await eventually('the developer has a page', async () => {
    const answer = await visitor().open(`/${owner.username}`)
    return answer.status === 200 ? answer.body : undefined
  })
  assert.match(body, /We build boats\./)
  assert.match(body, /example\.com\/b/)
  assert.match(body, /feed\.atom"/)
  const wrong = await browser.send('/settings/profile', { ...fields, links: 'nowhere' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.body, />\s*nowhere<\/textarea>/)
  assert.match(wrong.body, /class="error-text"/)
})
