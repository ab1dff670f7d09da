import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCopy } from '../../support/builders.ts'
import { startStore } from '../fixtures.ts'

const headings = (body: string) =>
  [...body.matchAll(/<h2><a href="[^"]+">([^<]+)<\/a><\/h2>/g)].map(([, name]) => name)

test('a player searches, sorts, hides and removes in the library', async (t) => {
  const { get, call, a, published, sql } = await startStore(t)
  const birch = await published({ name: 'Birch' })
  const amber = await published({ name: 'Amber' })
  const gift = await published({ name: 'Cedar' })
  const person = await a.user()
  await addCopy(sql, birch.uid, person.uid, 'free')
  await addCopy(sql, amber.uid, person.uid, 'free')
  await addCopy(sql, gift.uid, person.uid, 'grant')
  const cookie = `svc_session=${person.token}`
  const open = async (query = '') => (await get(`/library${query}`, { headers: { cookie } })).body
  const submit = (path: string) =>
    call('POST', path, {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        referer: 'http://any.example/library?sort=name',
        accept: 'text/html',
        cookie,
      },
      raw: '',
    })

  assert.deepEqual(headings(await open('?sort=name')), ['Amber', 'Birch', 'Cedar'])
  assert.deepEqual(headings(await open('?q=bir')), ['Birch'])
  assert.match(await open('?q=nothing%3Cb'), /Nothing in your library matches “nothing&lt;b”/)
  assert.equal(headings(await open('?sort=wrong&show=wrong')).length, 3)
  assert.equal(headings(await open(`?q=${'x'.repeat(500)}`)).length, 0)

  const hidden = await submit(`/library/${birch.uid}/hide`)
  assert.deepEqual([hidden.status, hidden.headers.location], [303, '/library?sort=name'])
  const rest = await open('?sort=name')
  assert.deepEqual(headings(rest), ['Amber', 'Cedar'])
  assert.match(rest, /Show 1 hidden title</)
  const hidden_page = await open('?show=hidden')
  assert.deepEqual(headings(hidden_page), ['Birch'])
  assert.match(hidden_page, new RegExp(`action="/library/${birch.uid}/show"`))
  await submit(`/library/${birch.uid}/show`)
  assert.equal(headings(await open()).length, 3)

  const all = await open()
  for (const { uid } of [amber, gift])
    assert.match(all, new RegExp(`action="/library/${uid}/remove"`))
  assert.equal((await submit(`/library/${amber.uid}/remove`)).status, 303)
  assert.deepEqual(headings(await open('?sort=name')), ['Birch', 'Cedar'])
  assert.equal((await submit(`/library/${gift.uid}/remove`)).status, 303)
  assert.deepEqual(headings(await open('?sort=name')), ['Birch'])
  assert.equal((await submit(`/library/${amber.uid}/hide`)).status, 404)
})
