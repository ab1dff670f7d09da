import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { OPERATIONS, startConsole } from '../fixtures.ts'

const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

test('operators see what happened to a listing, the newest first', async (t) => {
  const app = await startConsole(t)
  const { a, get, post, put, patch, sql, operator, published } = app
  const listing = await published({ name: 'Lantern Harbour' })
  const { uid, owner } = listing
  const url = `${OPERATIONS}/listings/${uid}/history`
  const read = async (query = '') => must(await get(`${url}${query}`, operator))
  const GAME = `/api/v1/private/games/${uid}`
  must(await put(`${GAME}/price`, { price_cents: 999 }, owner))
  must(await put(`${GAME}/price`, { price_cents: 999 }, owner))
  const edition = { slug: 'big', name: 'Big', kind: 'deluxe', price_cents: 1999 }
  const { uid: edition_uid } = must(await post(`${GAME}/editions`, edition, owner))
  must(await patch(`${GAME}/editions/${edition_uid}`, { price_cents: 1499 }, owner))
  must(await patch(`${GAME}/editions/${edition_uid}`, { name: 'Bigger' }, owner))
  must(await patch(GAME, { visibility: 'invisible' }, owner))
  const reasons = { ground: 'rule-spam', facts: 'Sells pills' }
  const target = { target_type: 'listing', target_id: uid, ...reasons }
  must(await post('/api/v1/private/moderation/actions', { ...target, action: 'hide' }, operator))
  const [file] = await sql`select uid from files where game_uid = ${uid}`
  const quarantine = { target_type: 'file', target_id: file!.uid, action: 'quarantine', ...reasons }
  must(await post('/api/v1/private/moderation/actions', quarantine, operator))
  await sql`
    insert into held_releases (game_uid, state, reason, decided_at, decided_by)
    values (${uid}, 'declined', 'The cover lies', now(), ${operator.uid})`

  const { items, total, ...names } = await read()
  assert.equal(total, items.length)
  assert.partialDeepStrictEqual(names, { uid, name: 'Lantern Harbour', username: owner.username })
  const times = items.map(({ at }: { at: string }) => at)
  assert.deepEqual(times, [...times].sort().reverse())
  const find = (kind: string, event: string) =>
    items.filter(
      (item: { kind: string; event: string }) => item.kind === kind && item.event === event,
    )
  const [of_edition, price, ...more_prices] = find('action', 'listings.change-price')
  assert.deepEqual(of_edition.detail, { edition: 'big', from: '1999', to: '1499' })
  assert.deepEqual([price.detail, price.username], [{ from: '0', to: '999' }, owner.username])
  assert.deepEqual(more_prices, [], 'the same price again is no change')
  assert.deepEqual(
    find('action', 'listings.change-visibility').map(({ detail }: any) => detail),
    [
      { from: 'public', to: 'invisible' },
      { from: 'draft', to: 'public' },
    ],
  )
  const [hidden] = find('decision', 'hide')
  assert.partialDeepStrictEqual(hidden, { username: operator.username, detail: reasons })
  assert.equal(find('decision', 'quarantine').length, 1)
  assert.equal(find('release', 'upload')[0].detail.version, '1.2.3')
  assert.equal(find('review', 'declined')[0].detail.reason, 'The cover lies')
  for (const kind of ['created', 'published']) assert.equal(find(kind, kind).length, 1, kind)

  const second = await read('?page=2&page_size=3')
  assert.deepEqual(second.items, items.slice(3, 6))
  const text = textOf((await app.console.open(`/operator/listings/${uid}`)).body)
  for (const expected of [
    /Price changed big: \$19\.99 → \$14\.99/,
    /Price changed Free → \$9\.99/,
    /Visibility changed .*Public/,
    /New build 1\.2\.3 · stable/,
    /First release declined The cover lies/,
    /Sells pills/,
  ])
    assert.match(text, expected)
  const list = (await app.console.open('/operator/listings?q=Lantern')).body
  assert.ok(list.includes(`href="/operator/listings/${uid}"`))

  await t.test('also of a deleted listing, and only for operators', async () => {
    await sql`update all_listings set deleted_at = now() where uid = ${uid}`
    assert.equal((await read()).items[0].kind, 'deleted')
    const missing = `${OPERATIONS}/listings/${randomUUID()}/history`
    assert.deepEqual(refused(await get(missing, operator)), [404, 4040])
    assert.deepEqual(
      refused(await get(`${OPERATIONS}/listings/nonsense/history`, operator)),
      [400, 4000],
    )
    assert.deepEqual(refused(await get(url, owner)), [403, 4030])
    const { key } = await a.key('agent', operator, ['operator:read'])
    must(await get(url, { token: key }))
    assert.equal((await app.console.open(`/operator/listings/${randomUUID()}`)).status, 404)
  })
})
