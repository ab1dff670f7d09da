import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { fileKey } from '../../src/builds/files/key.ts'
import { eventually } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { EICAR, zip } from '../uploads/zips.ts'
import { OPERATIONS, startConsole } from './fixtures.ts'

const FILES = `${OPERATIONS}/files`
const PAGE = '/operator/files'
// Stored without compression, so that both zips have the same size.
const harmless = zip([{ name: 'game', body: 'x'.repeat(EICAR.length), method: 0 }])
const hostile = zip([{ name: 'game', body: EICAR, method: 0 }])

async function start(t: TestContext) {
  const app = await startConsole(t)
  const { a, get, operator } = app
  const list = async (query = '') => must(await get(`${FILES}${query}`, operator))
  const file = async (name: string) => {
    const listing = await a.listing({ name })
    const { file_uid } = await a.cleanBuild(listing, { bytes: harmless })
    return { listing, file_uid: file_uid as string }
  }
  return { ...app, list, file }
}
const uidsOf = ({ items }: { items: { uid: string }[] }) => items.map(({ uid }) => uid)

test('operators find stored files by name, listing, hash and state', async (t) => {
  const { file, list, sql, get, a, operator } = await start(t)
  const first = await file('Lantern Harbour')
  const second = await file('Tide Pools')
  await sql`update files set filename = 'Tide_100%.zip' where uid = ${second.file_uid}`
  const { items, total, scanner } = await list()
  assert.deepEqual([uidsOf({ items }), total], [[second.file_uid, first.file_uid], 2])
  const { sha256, listing, ...item } = items[1]
  assert.deepEqual([item.state, item.finding, item.bytes_stored], ['clean', null, true])
  assert.equal(item.size, harmless.length)
  assert.equal(listing.uid, first.listing.uid)
  assert.deepEqual([scanner.waiting, scanner.scanning, scanner.oldest_wait_seconds], [0, 0, 0])
  assert.equal(scanner.engine, item.engine)
  assert.ok(scanner.last_scan_at)
  for (const [query, expected] of [
    ['q=lantern', [first.file_uid]],
    ['q=tide_100%25', [second.file_uid]],
    ['q=tide_1_', []],
    [`q=${sha256.toUpperCase()}`, [second.file_uid, first.file_uid]],
    [`q=${sha256.slice(0, 10)}`, [second.file_uid, first.file_uid]],
    ['q=nothing', []],
    ['state=clean', [second.file_uid, first.file_uid]],
    ['state=waiting', []],
    ['page_size=1', [second.file_uid]],
  ] as const)
    assert.deepEqual(uidsOf(await list(`?${query}`)), expected, query)
  // Without a job, a file waits.
  await sql`
    update files
    set scan = 'scanning', scanned_at = null, uploaded_at = now() - interval '1 hour'
    where uid = ${first.file_uid}`
  await sql`update files set scan = 'infected' where uid = ${second.file_uid}`
  assert.deepEqual(uidsOf(await list('?state=waiting')), [first.file_uid])
  assert.deepEqual(uidsOf(await list('?state=scanning')), [])
  assert.deepEqual(uidsOf(await list('?state=rejected')), [second.file_uid])
  const queue = (await list()).scanner
  assert.equal(queue.waiting, 1)
  assert.ok(queue.oldest_wait_seconds >= 3600)
  assert.deepEqual(refused(await get(`${FILES}?state=lost`, operator)), [400, 4000])
  assert.deepEqual(refused(await get(FILES, await a.verified())), [403, 4030])
})

test('a file is scanned again and rejected when a threat is found', async (t) => {
  const { file, list, post, operator, sql, core } = await start(t)
  const { listing, file_uid } = await file('Lantern Harbour')
  const scan = async (uid: string) => post(`${FILES}/${uid}/scan`, undefined, operator)
  const scans = async () =>
    (await sql`select state from scan_history where file_uid = ${file_uid} order by seq`).map(
      ({ state }) => state,
    )
  assert.equal((await scan(file_uid)).status, 202)
  await eventually('the second scan', async () => (await scans()).length === 3)
  assert.deepEqual(await scans(), ['scanning', 'clean', 'clean'])
  assert.equal((await list()).items[0].state, 'clean')

  const key = fileKey({ object_uid: file_uid, game_uid: listing.uid })
  assert.equal((await core.storage.stat(key))!.size, hostile.length)
  await core.storage.put(key, hostile)
  must(await scan(file_uid))
  const rejected = await eventually('the rejection', async () => {
    const { items } = await list('?state=rejected')
    return items[0]
  })
  assert.match(rejected.finding, /in game$/)
  assert.equal(rejected.uid, file_uid)
  assert.deepEqual(await scans(), ['scanning', 'clean', 'clean', 'infected'])

  assert.deepEqual(refused(await scan(randomUUID())), [404, 4040])
  const answer = await scan(file_uid)
  assert.deepEqual(refused(answer), [409, 4090])
  assert.match(answer.body.error.message, /bytes of this file were removed/)
  const other = await file('Tide Pools')
  await sql`
    update files
    set scan = 'quarantined', scan_before_quarantine = 'clean'
    where uid = ${other.file_uid}`
  assert.deepEqual(refused(await scan(other.file_uid)), [409, 4090])
})

test('the page lists files with their state and scans one again', async (t) => {
  const { file, console, sql, visitor, signedIn, a } = await start(t)
  assert.match((await console.open(PAGE)).body, /No files/)
  const { listing, file_uid } = await file('Lantern <Harbour>')
  const { body } = await console.open(`${PAGE}?q=lantern&state=clean`)
  assert.match(body, /Lantern &lt;Harbour&gt;/)
  assert.match(body, /label-ok[^>]*>.*?Clean/s)
  assert.match(body, new RegExp(`/operator/listings\\?q=${listing.vanity_name}`))
  const from = `${PAGE}?q=lantern&state=clean`
  const sent = await console.send(`${PAGE}/${file_uid}/scan`, { from })
  assert.deepEqual([sent.status, sent.headers.location], [303, from])
  for (const elsewhere of ['https://evil.example', '//evil.example', '/login'])
    assert.equal(
      (await console.send(`${PAGE}/${file_uid}/scan`, { from: elsewhere })).headers.location,
      PAGE,
    )
  await eventually('the scan', async () => {
    const [row] = await sql`select count(*)::int as scans from scan_history`
    return row!.scans >= 3
  })
  await sql`update files set scan = 'infected', bytes_removed_at = now()`
  const rejected = (await console.open(PAGE)).body
  assert.match(rejected, /Rejected/)
  assert.doesNotMatch(rejected, /action="\/operator\/files\/[^"]+\/scan"/)
  const refusal = await console.submit(`${PAGE}/${file_uid}/scan`)
  assert.match(refusal.body, /It has to be uploaded again/)
  assert.equal((await console.send(`${PAGE}/${randomUUID()}/scan`)).status, 404)
  assert.equal((await signedIn(await a.verified()).open(PAGE)).status, 404)
  assert.equal((await visitor().open(PAGE)).status, 303)
})
