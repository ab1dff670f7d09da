import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unzip } from '../press/zip-fixtures.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import type { browser } from './browser.ts'
import { startStore } from './fixtures.ts'

const sharedStore = sharedInFile(startStore)

type Browser = ReturnType<typeof browser>

/** Follows the download button of a press page and returns the names of the files in the zip. */
async function downloadFromPage(url: string, reader: Browser, path: string): Promise<string[]> {
  const { status, body } = await reader.open(`${path}/press`)
  assert.equal(status, 200, path)
  const [, link] = /href="([^"]+press\.zip)"/.exec(body)!
  const cookie = [...reader.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(new URL(link!, url), { headers: { cookie } })
  assert.equal(response.status, 200, link)
  return [...(await unzip(Buffer.from(await response.arrayBuffer()))).keys()]
}

const adult = [{ adult: true }, { content_warnings: ['sexual'] }] as const

test('the zip of an adult press page opens for those who may open the page', async (t) => {
  const { published, visitor, signedIn, a, put, patch, url } = await sharedStore(t)
  const listing = await published({}, ...adult)
  const opted_in = await a.user()
  const setting = { show: true, confirm_18: true }
  must(await put('/api/v1/private/settings/adult', setting, opted_in))
  for (const person of [opted_in, listing.owner]) {
    const names = await downloadFromPage(url, signedIn(person), listing.path)
    assert.deepEqual(names.slice(0, 3), [
      'factsheet.json',
      'images/cover.png',
      'images/thumbnail.png',
    ])
  }
  const answer = await signedIn(opted_in).open(`${listing.path}/press.zip`)
  assert.deepEqual(
    ['content-type', 'cache-control', 'x-robots-tag', 'content-disposition'].map(
      (name) => answer.headers[name],
    ),
    [
      'application/zip',
      'private, no-cache',
      'noindex',
      `attachment; filename="${listing.vanity_name}-press.zip"`,
    ],
  )
  for (const reader of [visitor(), signedIn(await a.user())])
    for (const ending of ['press', 'press.zip'])
      assert.equal((await reader.open(`${listing.path}/${ending}`)).status, 404, ending)
  const elsewhere = `/somebody-else/${listing.vanity_name}/press.zip`
  assert.equal((await signedIn(opted_in).open(elsewhere)).status, 404)
  must(await patch(`/api/v1/private/games/${listing.uid}`, { visibility: 'draft' }, listing.owner))
  assert.equal((await signedIn(listing.owner).open(`${listing.path}/press.zip`)).status, 404)
})

test('the zip of a press page opens without an account', async (t) => {
  const { published, visitor, url } = await sharedStore(t)
  const listing = await published()
  const names = await downloadFromPage(url, visitor(), listing.path)
  assert.equal(names.length, 7)
})

test('limits zips of press pages to 10 a minute per visitor and 30 per address', async (t) => {
  const { published, visitor, signedIn, a, get } = await startStore(t, { PROXY_HOPS: '1' })
  const listing = await published()
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const open = (reader: Browser, address: string) =>
    reader.open(`${listing.path}/press.zip`, from(address))
  const statuses = async (reader: Browser, address: string, count: number) => {
    const answers: number[] = []
    for (let i = 0; i < count; i++) answers.push((await open(reader, address)).status)
    return answers
  }
  const tenThenRefused = [...Array(10).fill(200), 429]
  const first = signedIn(await a.user())
  assert.deepEqual(await statuses(first, '10.0.0.1', 11), tenThenRefused)
  const refused = await open(first, '10.0.0.2')
  assert.equal(refused.status, 429, 'an account is one visitor at every address')
  assert.ok(Number(refused.headers['retry-after']) > 0)

  const second = signedIn(await a.user())
  assert.deepEqual(await statuses(second, '10.0.0.1', 11), tenThenRefused)
  // 22 of the 30 zips of this address are used.
  assert.deepEqual(await statuses(visitor(), '10.0.0.1', 9), [...Array(8).fill(200), 429])
  const zip = `/api/v1/public/games/${listing.uid}/press.zip`
  assert.equal((await get(zip, { headers: from('10.0.0.1') })).status, 429)

  assert.deepEqual(await statuses(visitor(), '10.0.0.3', 11), tenThenRefused)
  assert.equal((await get(zip, { headers: from('10.0.0.3') })).status, 200)
  assert.equal((await visitor().open(`${listing.path}/press`, from('10.0.0.3'))).status, 200)
})

test('the press page shows the thumbnail, and no image that is missing', async (t) => {
  const { published, visitor, get, sql } = await sharedStore(t)
  const listing = await published({ name: 'Tide' })
  const { thumbnail, gallery } = must(await get(`/api/v1/public/games/${listing.uid}/press`))
  const images = async () => {
    const { body } = await visitor().open(`${listing.path}/press`)
    return [...body.matchAll(/<a href="([^"]*\/media\/images\/[^"]*)">.*?alt="([^"]+)"/gs)].map(
      (match) => match.slice(1),
    )
  }
  const [, second, ...others] = await images()
  assert.deepEqual(second, [thumbnail, 'Thumbnail of Tide'])
  assert.deepEqual(
    others.map(([url]) => url),
    gallery.map((image: { url: string }) => image.url),
  )
  await sql`delete from listing_images where slot <> 'thumbnail'`
  assert.deepEqual(await images(), [[thumbnail, 'Thumbnail of Tide']])
  await sql`delete from listing_images`
  assert.deepEqual(await images(), [])
})
