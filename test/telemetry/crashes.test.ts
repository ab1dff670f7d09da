import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { eventually } from '../support/app.ts'
import { must, newAddress, refused, storedKeys } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { form } from '../uploads/forms.ts'
import { put, read, report } from './crash-fixtures.ts'
import { CRASHES, EVENTS, idsOf, keys, startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

test('stores a complete report that only developers of the project can read', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing, { version: '1.4.2' })
  const sent = {
    app_name: 'Game',
    app_version: '1.4.2',
    engine_version: '4.2',
    os: 'Win64',
    arch: 'X86_64',
    user_message: 'it broke',
    anonymous: true,
    metadata: { gpu: 'fast', list: [1] },
  }
  const answer = await report(app, to, sent)
  assert.deepEqual(
    [answer.status, Object.keys(answer.body.data), answer.body.data.uploads],
    [201, ['id', 'uploads'], {}],
  )
  const { id } = answer.body.data
  const { created_at, group_uid, ...crash } = await read(app, listing, `crashes/${id}`)
  assert.deepEqual(crash, {
    id,
    build_id: to.build_id,
    version: '1.4.2',
    ...sent,
    os: 'windows',
    arch: 'x86_64',
    has_dump: false,
    has_log: false,
    has_stack: false,
    analysis: null,
    stack_excerpt: null,
    severity: 'fatal',
  })
  const list = await read(app, listing, 'crashes')
  assert.deepEqual([list.total, list.items[0].id, list.items[0].metadata], [1, id, undefined])
  assert.equal((await read(app, listing, `crashes?build_id=${randomUUID()}`)).total, 0)
  assert.equal(
    (await read(app, listing, `crashes?group_uid=${group_uid}&build_id=${to.build_id}`)).total,
    1,
  )
  const stranger = await app.a.developer()
  for (const path of [
    'crashes',
    `crashes/${id}`,
    'crash-groups',
    `crashes/${id}/download?kind=dump`,
  ]) {
    const refusal = await app.get(`/api/v1/private/games/${listing.uid}/${path}`, stranger)
    assert.deepEqual(refused(refusal), [404, 4040])
    const agent = await app.a.key('agent', listing.owner, ['mcp:analytics.read'])
    assert.deepEqual(
      refused(await app.get(`/api/v1/private/games/${listing.uid}/${path}`, { token: agent.key })),
      [403, 4031],
    )
  }
  for (const other of [randomUUID(), 'x'])
    assert.deepEqual(
      refused(
        await app.get(`/api/v1/private/games/${listing.uid}/crashes/${other}`, listing.owner),
      ),
      [404, 4040],
    )
  // The report is not visible in another project.
  const second = await app.a.listing({ owner: listing.owner })
  assert.deepEqual(
    refused(await app.get(`/api/v1/private/games/${second.uid}/crashes/${id}`, listing.owner)),
    [404, 4040],
  )
})

test('a crash has the severity that its report names, and is fatal otherwise', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const cases: [fields: object, expected: string][] = [
    [{}, 'fatal'],
    [{ severity: 'error' }, 'error'],
    [{ severity: 'Warning' }, 'warning'],
    [{ metadata: { severity: 'info' } }, 'info'],
    [{ severity: 'terrible' }, 'fatal'],
    [{ severity: 3 }, 'fatal'],
    [{ severity: ['error'] }, 'fatal'],
  ]
  for (const [fields, expected] of cases) {
    const { id } = must(await report(app, to, fields))
    const crash = await read(app, listing, `crashes/${id}`)
    const { items } = await read(app, listing, 'crashes')
    assert.equal(crash.severity, expected, JSON.stringify(fields))
    assert.equal(items[0].severity, expected, JSON.stringify(fields))
  }
})

test('rejects unauthenticated, malformed and oversized reports and stores nothing', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const [to, other] = [
    await app.build(listing),
    await app.build(await app.a.listing({ owner: listing.owner })),
  ]
  for (const ids of [
    {},
    { 'x-app-id': to.game_uid },
    { 'x-app-id': to.game_uid, 'x-build-id': other.build_id },
    { 'x-app-id': randomUUID(), 'x-build-id': to.build_id },
  ])
    assert.deepEqual(
      refused(
        await app.post(
          CRASHES,
          {},
          { headers: { ...(ids as Record<string, string>), ...newAddress() } },
        ),
      ),
      [401, 4025],
    )
  for (const bad of [
    [],
    'x',
    null,
    { os: 5 },
    { has_dump: 'yes' },
    { metadata: [] },
    { metadata: 'x' },
    { user_message: {} },
  ])
    assert.deepEqual(refused(await report(app, to, bad)), [400, 4000], JSON.stringify(bad))
  const raw = (text: string, type = 'application/json') =>
    app.call('POST', CRASHES, {
      raw: text,
      headers: { ...idsOf(to), ...newAddress(), 'content-type': type },
    })
  for (const text of ['', '{', '{"metadata":{"__proto__":{}}}', '{"os":"\\u0000"}'])
    assert.deepEqual(refused(await raw(text)), [400, 4000], text)
  assert.deepEqual(refused(await raw('x', 'text/plain')), [415, 4150])
  assert.equal(
    (await report(app, to, { metadata: keys(64), app_version: '1', device_uid: 'd' })).status,
    201,
  )
  assert.deepEqual(refused(await report(app, to, { metadata: keys(65) })), [413, 4130])
  assert.deepEqual(
    refused(await report(app, to, { metadata: { text: 'x'.repeat(10 * MIB) } })),
    [413, 4130],
  )
  assert.deepEqual(
    refused(await report(app, to, { metadata: { text: 'x'.repeat(70_000) } })),
    [413, 4130],
  )
  // A user message that is too long is shortened, not rejected.
  const { id } = must(await report(app, to, { user_message: 'x'.repeat(5000) }))
  assert.equal((await read(app, listing, `crashes/${id}`)).user_message.length, 4000)
  assert.equal((await read(app, listing, 'crashes')).total, 2)
})

test('beyond the upload quota a report has no links, beyond its own it is 4290', async (t) => {
  const app = await startTelemetryApp(t, { CRASH_REPORTS_PER_DAY: '4', CRASH_UPLOADS_PER_DAY: '3' })
  const listing = await app.a.listing()
  const [to, other] = [
    await app.build(listing),
    await app.build(await app.a.listing({ owner: listing.owner })),
  ]
  assert.deepEqual(
    Object.keys(must(await report(app, to, { has_dump: true, has_log: true })).uploads),
    ['dump', 'log'],
  )
  assert.deepEqual(must(await report(app, to, { has_dump: true, has_log: true })).uploads, {})
  assert.deepEqual(Object.keys(must(await report(app, to, { has_dump: true })).uploads), ['dump'])
  const sent = form([{ name: 'log', filename: 'x', bytes: Buffer.from('log') }], {
    headers: { ...idsOf(to), ...newAddress() },
  })
  const { id } = must(await app.call('POST', CRASHES, sent))
  assert.equal((await read(app, listing, `crashes/${id}`)).has_log, false)
  const refusal = await report(app, to, {})
  assert.deepEqual(refused(refusal), [429, 4290])
  assert.ok(
    Number(refusal.headers['retry-after']) > 0 && Number(refusal.headers['retry-after']) <= 86_400,
  )
  assert.equal((await report(app, other, {})).status, 201)
  // Repeating a report with files does not bypass the quota.
  const third = await app.build(await app.a.listing({ owner: listing.owner }))
  const again = (name: string, metadata: object) => {
    const parts = [
      { name: 'metadata', value: JSON.stringify({ id: 'again', ...metadata }) },
      { name, filename: 'x', bytes: Buffer.from('log') },
    ]
    return app.call('POST', CRASHES, form(parts, { headers: { ...idsOf(third), ...newAddress() } }))
  }
  const links = must(await report(app, third, { id: 'again', has_log: true })).uploads
  await app.sql`update crash_days set uploads = 3 where game_uid = ${third.game_uid}`
  must(await again('dump', {}))
  const taken = () =>
    app.sql`select dump_size, log_size from crashes where game_uid = ${third.game_uid}`
  assert.deepEqual({ ...(await taken())[0] }, { dump_size: null, log_size: null })
  // A file that was counted when its link was created is not counted again.
  const relinked = must(
    await report(app, third, { id: 'again', has_log: true, has_dump: true }),
  ).uploads
  assert.deepEqual(Object.keys(relinked), ['log'])
  assert.deepEqual(refused(await put(app, links.log.url, Buffer.from('log'))), [404, 4040])
  must(await again('log', {}))
  assert.deepEqual({ ...(await taken())[0] }, { dump_size: null, log_size: 3 })
  assert.deepEqual(refused(await put(app, relinked.log.url, Buffer.from('log'))), [404, 4040])
  await app.sql`update crash_days set day = day - 1`
  assert.equal((await report(app, to, {})).status, 201)
})

test('a game in a browser may send events and crashes from any origin', async (t) => {
  const app = await sharedTelemetryApp(t)
  const to = await app.build(await app.a.listing())
  const origin = 'https://play.example'
  const { id, uploads } = must(await report(app, to, { has_log: true }, { origin }))
  const upload = new URL(uploads.log.url).pathname
  const requests = [
    ['POST', EVENTS],
    ['POST', `${EVENTS}/v1/events`],
    ['POST', CRASHES],
    ['PUT', upload],
    ['GET', `${CRASHES}/${id}`],
    ['GET', `${CRASHES}/${id}/stack`],
  ] as const
  for (const [method, path] of requests) {
    const { status, headers } = await app.call('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,x-app-id,x-build-id',
      },
    })
    assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*'], path)
    assert.ok(headers['access-control-allow-methods']!.split(', ').includes(method), path)
    const allowed = headers['access-control-allow-headers']!.toLowerCase().split(', ')
    for (const name of ['content-type', 'x-app-id', 'x-build-id'])
      assert.ok(allowed.includes(name), name)
    // Also a refusal can be read, and no answer allows credentials.
    const answer = await app.call(method, path, { headers: { origin, ...newAddress() } })
    assert.equal(answer.headers['access-control-allow-origin'], '*', path)
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  }
  const sent = await app.send(to, [{ event: 'session_start' }], { origin })
  assert.deepEqual([sent.status, sent.headers['access-control-allow-origin']], [202, '*'])
})

test('limits reports of an IP address to 60 a minute', async (t) => {
  const app = await sharedTelemetryApp(t)
  const to = await app.build(await app.a.listing())
  const headers = newAddress()
  for (let i = 0; i < 60; i++)
    assert.equal((await report(app, to, { id: 'same' }, headers)).status, 201)
  assert.deepEqual(refused(await report(app, to, {}, headers)), [429, 4290])
  assert.equal((await app.send(to, [{ event: 'quit' }], headers)).status, 202)
})

test('a crash report counts for launch health like a crash event', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  must(await report(app, to, { device_uid: 'a' }))
  const inside = must(
    await report(app, to, { metadata: { device_uid: 'b', session_id: 'c', level: 3 } }),
  )
  assert.deepEqual((await read(app, listing, `crashes/${inside.id}`)).metadata, { level: 3 })
  must(await report(app, to, { session_id: 's' }))
  must(await report(app, to, {}))
  must(
    await app.send(to, [
      { event: 'crash', device_uid: 'a' },
      { event: 'quit', session_id: 's' },
      { event: 'boot_ok', device_uid: 'b' },
    ]),
  )
  const health = await app.healthOf(listing, to)
  assert.deepEqual([health.devices, health.boot_ok, health.crash_on_boot], [3, 1, 3])
})

test('deletes old reports with their files, and files without a report', async (t) => {
  const app = await startTelemetryApp(t, { CRASH_RETENTION_DAYS: '10' })
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const send = async () =>
    must(
      await app.call(
        'POST',
        CRASHES,
        form([{ name: 'log', filename: 'x', bytes: Buffer.from('log') }], {
          headers: { ...idsOf(to), ...newAddress() },
        }),
      ),
    ).id
  const [old, young] = [await send(), await send()]
  await app.sql`
    update crashes set created_at = now() - interval '10 days 1 minute'
    where uid = ${old}`
  await app.sql`update crashes set created_at = now() - interval '9 days' where uid = ${young}`
  await app.core.storage.put(
    'crashes/01800000-0000-7000-8000-000000000000.log',
    Buffer.from('left'),
  )
  const groupOf = async (user_message: string) => {
    const { id } = must(await report(app, to, { user_message }))
    return (await read(app, listing, `crashes/${id}`)).group_uid as string
  }
  const [over, resolved] = [await groupOf('over'), await groupOf('resolved')]
  must(
    await app.patch(
      `/api/v1/private/games/${listing.uid}/crash-groups/${resolved}`,
      { status: 'resolved' },
      listing.owner,
    ),
  )
  await app.sql`
    update crashes set created_at = now() - interval '11 days'
    where group_uid in (${over}, ${resolved})`
  await app.sql`
    update crash_groups set last_seen = now() - interval '11 days'
    where uid in (${over}, ${resolved})`
  await app.core.jobs.send(app.sql, 'telemetry.sweep-crashes')
  await eventually('the sweep', async () => (await storedKeys(app.core, 'crashes/')).length === 1)
  assert.deepEqual(
    (await read(app, listing, 'crashes')).items.map(({ id }: any) => id),
    [young],
  )
  // A group is deleted with its last report. A resolved group stays, without its title.
  const groups = () =>
    app.sql`select uid, title from crash_groups where uid in (${over}, ${resolved})`
  await eventually('the groups', async () => (await groups()).length === 1)
  assert.deepEqual([...(await groups())], [{ uid: resolved, title: '' }])
  assert.equal(await groupOf('resolved'), resolved)
  assert.match((await groups())[0]!.title, /^resolved/)
})
