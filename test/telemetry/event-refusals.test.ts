import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { must, newAddress, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { device, EVENTS, idsOf, keys, startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

test('rejects a request with an invalid standard event with 4158 and the index', async (t) => {
  const { a, build, send, stored } = await sharedTelemetryApp(t)
  const to = await build(await a.listing())
  const device_uid = device()
  const bad: [object, RegExp][] = [
    [{ event: 'boot_ok' }, /device_uid/],
    [{ event: 'boot_ok', device_uid: '' }, /device_uid/],
    [{ event: 'boot_ok', device_uid: 5 }, /device_uid/],
    [{ event: 'boot_ok', device_uid: 'x'.repeat(129) }, /device_uid/],
    [{ event: 'boot_ok', device_uid, ms: -1 }, /ms/],
    [{ event: 'boot_ok', device_uid, ms: 600_001 }, /ms/],
    [{ event: 'boot_ok', device_uid, ms: '5' }, /ms/],
    [{ event: 'first_input', ms: 600_001 }, /ms/],
    [{ event: 'session_end' }, /seconds/],
    [{ event: 'session_end', seconds: 86_401 }, /seconds/],
    [{ event: 'session_end', seconds: -1 }, /seconds/],
    [{ event: 'session_end', seconds: 1.5 }, /seconds/],
    [{ event: 'session_end', seconds: '10' }, /seconds/],
    [{ event: 'crash' }, /device_uid/],
  ]
  for (const [event, about] of bad) {
    const answer = await send(to, [{ event: 'quit' }, { event: 'session_start' }, event])
    assert.deepEqual(
      [answer.status, answer.body.error.code, answer.body.data.index],
      [422, 4158, 2],
      JSON.stringify(event),
    )
    assert.match(answer.body.error.message, /Event 2/)
    assert.match(answer.body.error.message, about)
  }
  assert.deepEqual([...(await stored(to))], [])
  const fine = [
    { event: 'boot_ok', device_uid, ms: 600_000 },
    { event: 'boot_ok', device_uid: 'x'.repeat(128), ms: 0 },
    { event: 'session_end', seconds: 0 },
    { event: 'first_input' },
    { event: 'Boot_ok' },
  ]
  must(await send(to, fine))
  assert.equal((await stored(to)).length, 5)
})

test('accepts 100 events and 64 keys, and rejects one more with 4130', async (t) => {
  const { a, build, send, sql } = await sharedTelemetryApp(t)
  const to = await build(await a.listing())
  const events = (count: number) => Array.from({ length: count }, () => ({ event: 'tick' }))
  assert.equal((await send(to, events(100))).status, 202)
  assert.deepEqual(refused(await send(to, events(101))), [413, 4130])
  assert.equal((await send(to, [])).body.data.accepted, 0)
  for (const name of ['metadata', 'properties']) {
    assert.equal(
      (await send(to, [{ event: 'tick', [name]: keys(64), app_version: '1', device_uid: 'd' }]))
        .status,
      202,
    )
    assert.deepEqual(refused(await send(to, [{ event: 'tick', [name]: keys(65) }])), [413, 4130])
  }
  assert.deepEqual(
    refused(await send(to, [{ event: 'tick', metadata: keys(64), one: 'more' }])),
    [413, 4130],
  )
  // A body that is too large, as raw bytes and as a single value.
  assert.deepEqual(
    refused(await send(to, [{ event: 'tick', metadata: { text: 'x'.repeat(10_000_000) } }])),
    [413, 4130],
  )
  assert.equal(
    (await send(to, [{ event: 'tick', metadata: { t: 'x'.repeat(16 * 1024 - 8) } }])).status,
    202,
  )
  assert.deepEqual(
    refused(await send(to, [{ event: 'tick', metadata: { t: 'x'.repeat(16 * 1024 - 7) } }])),
    [413, 4130],
  )
  const [{ count }] = (await sql`
    select count(*)::int as count from events where build_uid = ${to.build_id}`) as any
  assert.equal(count, 103)
})

test('rejects a malformed body with 4000 and stores nothing', async (t) => {
  const { a, build, post, call, stored } = await sharedTelemetryApp(t)
  const to = await build(await a.listing())
  const before = await stored()
  const headers = () => ({ ...idsOf(to), ...newAddress() })
  const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`)
  const bodies = [
    {},
    [],
    'text',
    null,
    { events: {} },
    { events: 'x' },
    { events: [null] },
    { events: [[]] },
    { events: ['boot_ok'] },
    { events: [{}] },
    { events: [{ event: '' }] },
    { events: [{ event: 5 }] },
    { events: [{ event: 'x'.repeat(65) }] },
    { events: [{ event: 'x', metadata: [] }] },
    { events: [{ event: 'x', metadata: 'text' }] },
    { events: [{ event: 'x', metadata: deep }] },
    { events: [{ event: 'x', event_id: 'x'.repeat(129) }] },
    { events: [{ event: 'x', session_id: {} }] },
    { events: [{ event: 'nul\u0000' }] },
  ]
  for (const body of bodies)
    assert.deepEqual(
      refused(await post(EVENTS, body, { headers: headers() })),
      [400, 4000],
      JSON.stringify(body).slice(0, 80),
    )
  for (const raw of [
    '{"events":[',
    '{"events":[{"event":"x","metadata":{"__proto__":{}}}]}',
    '\xff',
  ]) {
    const answer = await call('POST', EVENTS, {
      raw: Buffer.from(raw, 'latin1'),
      headers: { ...headers(), 'content-type': 'application/json' },
    })
    assert.deepEqual(refused(answer), [400, 4000])
  }
  assert.deepEqual(
    refused(
      await call('POST', EVENTS, {
        raw: 'events',
        headers: { ...headers(), 'content-type': 'text/plain' },
      }),
    ),
    [415, 4150],
  )
  assert.deepEqual(await stored(), before)
  assert.equal(
    (
      await post(
        EVENTS,
        { events: [{ event: 'x'.repeat(64), event_id: 'x'.repeat(128) }] },
        { headers: headers() },
      )
    ).status,
    202,
  )
})

test('rejects missing ids, an unknown app and a build of another game with 4025', async (t) => {
  const { a, build, post, stored } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const [own, other] = [
    await build(listing),
    await build(await a.listing({ owner: listing.owner })),
  ]
  const before = await stored()
  const tries: Record<string, string>[] = [
    {},
    { 'x-app-id': own.game_uid },
    { 'x-build-id': own.build_id },
    { 'x-app-id': own.game_uid, 'x-build-id': other.build_id },
    { 'x-app-id': other.game_uid, 'x-build-id': own.build_id },
    { 'x-app-id': randomUUID(), 'x-build-id': own.build_id },
    { 'x-app-id': own.game_uid, 'x-build-id': randomUUID() },
    { 'x-app-id': listing.vanity_name, 'x-build-id': own.build_id },
    { 'x-app-id': 'x', 'x-build-id': 'y' },
  ]
  for (const ids of tries) {
    const answer = await post(
      EVENTS,
      { events: [{ event: 'quit' }] },
      { headers: { ...ids, ...newAddress() } },
    )
    assert.deepEqual(refused(answer), [401, 4025], JSON.stringify(ids))
    assert.equal(answer.headers['www-authenticate'], 'Bearer')
  }
  assert.deepEqual(
    refused(await post(EVENTS, { events: [] }, { headers: newAddress() })),
    [401, 4025],
  )
  assert.deepEqual(await stored(), before)
})

test('limits both event URLs together to 60 requests a minute, with Retry-After', async (t) => {
  const { a, build, post } = await sharedTelemetryApp(t)
  const to = await build(await a.listing())
  const headers = { ...idsOf(to), ...newAddress() }
  const send = (path = EVENTS) => post(path, { events: [{ event: 'tick' }] }, { headers })
  for (let i = 0; i < 30; i++) assert.equal((await send()).status, 202)
  for (let i = 0; i < 30; i++) assert.equal((await send(`${EVENTS}/v1/events`)).status, 202)
  for (const path of [EVENTS, `${EVENTS}/v1/events`]) {
    const refusal = await send(path)
    assert.deepEqual(refused(refusal), [429, 4290])
    assert.ok(Number(refusal.headers['retry-after']) > 0)
  }
  assert.equal(
    (await post(EVENTS, { events: [] }, { headers: { ...headers, ...newAddress() } })).status,
    202,
  )
})
