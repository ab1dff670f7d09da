import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { form } from '../uploads/forms.ts'
import { code, keys, MIB, put, read, report } from './crash-fixtures.ts'
import { crashedGame } from './dumps.ts'
import { CRASHES, fresh, idsOf, startTelemetryApp } from './fixtures.ts'

test('stores a complete report that only developers of the project can read', async (t) => {
  const app = await startTelemetryApp(t)
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
    ...{ id, build_id: to.build_id, version: '1.4.2', ...sent, os: 'windows', arch: 'x86_64' },
    ...{ has_dump: false, has_log: false, has_stack: false, analysis: null, stack_excerpt: null },
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
    const refused = await app.get(`/api/v1/private/games/${listing.uid}/${path}`, stranger)
    assert.deepEqual(code(refused), [404, 4040])
    const agent = await app.a.key('agent', listing.owner, ['mcp:analytics.read'])
    assert.deepEqual(
      code(await app.get(`/api/v1/private/games/${listing.uid}/${path}`, { token: agent.key })),
      [403, 4031],
    )
  }
  for (const other of [randomUUID(), 'x'])
    assert.deepEqual(
      code(await app.get(`/api/v1/private/games/${listing.uid}/crashes/${other}`, listing.owner)),
      [404, 4040],
    )
  // The report is not visible in another project.
  const second = await app.a.listing({ owner: listing.owner })
  assert.deepEqual(
    code(await app.get(`/api/v1/private/games/${second.uid}/crashes/${id}`, listing.owner)),
    [404, 4040],
  )
})

test('rejects unauthenticated, malformed and oversized reports and stores nothing', async (t) => {
  const app = await startTelemetryApp(t)
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
      code(
        await app.post(
          CRASHES,
          {},
          { headers: { ...(ids as Record<string, string>), ...fresh() } },
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
    assert.deepEqual(code(await report(app, to, bad)), [400, 4000], JSON.stringify(bad))
  const raw = (text: string, type = 'application/json') =>
    app.call('POST', CRASHES, {
      raw: text,
      headers: { ...idsOf(to), ...fresh(), 'content-type': type },
    })
  for (const text of ['', '{', '{"metadata":{"__proto__":{}}}', '{"os":"\\u0000"}'])
    assert.deepEqual(code(await raw(text)), [400, 4000], text)
  assert.deepEqual(code(await raw('x', 'text/plain')), [415, 4150])
  assert.equal(
    (await report(app, to, { metadata: keys(64), app_version: '1', device_uid: 'd' })).status,
    201,
  )
  assert.deepEqual(code(await report(app, to, { metadata: keys(65) })), [413, 4130])
  assert.deepEqual(
    code(await report(app, to, { metadata: { text: 'x'.repeat(10 * MIB) } })),
    [413, 4130],
  )
  assert.deepEqual(
    code(await report(app, to, { metadata: { text: 'x'.repeat(70_000) } })),
    [413, 4130],
  )
  // A user message that is too long is shortened, not rejected.
  const { id } = must(await report(app, to, { user_message: 'x'.repeat(5000) }))
  assert.equal((await read(app, listing, `crashes/${id}`)).user_message.length, 4000)
  assert.equal((await read(app, listing, 'crashes')).total, 2)
})

test('an upload link works once within a day, with a body or a form', async (t) => {
  const app = await startTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const before = Date.now()
  const { id, uploads } = must(await report(app, to, { has_dump: true, has_log: true }))
  assert.deepEqual(
    [uploads.dump.method, uploads.dump.max_bytes, uploads.dump.filename, uploads.log.filename],
    ['PUT', 64 * MIB, 'dump.dmp', 'log.txt'],
  )
  assert.ok(Math.abs(Date.parse(uploads.dump.expires_at) - before - 24 * 3600 * 1000) < 60_000)
  const log = Buffer.from('the last words\n')
  assert.deepEqual(code(await put(app, uploads.log.url, Buffer.alloc(0))), [400, 4037])
  assert.deepEqual(must(await put(app, uploads.log.url, log)), { received: log.length })
  assert.deepEqual(code(await put(app, uploads.log.url, log)), [409, 4090])
  const dump = crashedGame()
  const sent = form([{ name: 'file', filename: 'x.dmp', bytes: dump }])
  assert.deepEqual(
    code(await app.call('PUT', uploads.dump.url, { ...form([{ name: 'other', value: 'x' }]) })),
    [400, 4037],
  )
  must(await app.call('PUT', uploads.dump.url, sent))
  const crash = await read(app, listing, `crashes/${id}`)
  assert.deepEqual([crash.has_dump, crash.has_log], [true, true])
  for (const [kind, bytes, name] of [
    ['dump', dump, 'dump.dmp'],
    ['log', log, 'log.txt'],
  ] as const) {
    const link = await read(app, listing, `crashes/${id}/download?kind=${kind}`)
    assert.deepEqual([link.expires_in, link.filename], [3600, name])
    const response = await fetch(link.url)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
    assert.match(response.headers.get('content-disposition')!, /^attachment/)
    assert.equal((await fetch(link.url.replace(/signature=.{3}/, 'signature=abc'))).status, 404)
    assert.equal((await fetch(link.url.replace(/expires=\d+/, 'expires=9999999999'))).status, 404)
    assert.equal(
      (await fetch(link.url.replace(name, kind === 'dump' ? 'log.txt' : 'dump.dmp'))).status,
      404,
    )
  }
  // A later link to the same report does not replace a stored file.
  const spare = must(await report(app, to, { has_log: true }))
  await app.sql`update crash_uploads set crash_uid = ${id} where crash_uid = ${spare.id}`
  assert.deepEqual(
    code(await put(app, spare.uploads.log.url, Buffer.from('other words'))),
    [409, 4090],
  )
  assert.equal(
    (await app.sql`select log_size from crashes where uid = ${id}`)[0]!.log_size,
    log.length,
  )
  // Unknown and expired links get the same response.
  const second = must(await report(app, to, { has_log: true }))
  await app.sql`update crash_uploads set expires_at = now() - interval '1 second' where used_at is null`
  const expired = await put(app, second.uploads.log.url, log)
  assert.deepEqual(code(expired), [404, 4040])
  assert.deepEqual(
    (await put(app, second.uploads.log.url.replace(/[^/]+$/, 'x'), log)).body,
    expired.body,
  )
  assert.deepEqual(
    code(
      await app.get(
        `/api/v1/private/games/${listing.uid}/crashes/${second.id}/download?kind=log`,
        listing.owner,
      ),
    ),
    [409, 4090],
  )
  assert.deepEqual(
    code(
      await app.get(
        `/api/v1/private/games/${listing.uid}/crashes/${id}/download?kind=cake`,
        listing.owner,
      ),
    ),
    [400, 4000],
  )
})

test('of ten concurrent uploads to a link exactly one succeeds', async (t) => {
  const app = await startTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const { id, uploads } = must(await report(app, to, { has_log: true }))
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => put(app, uploads.log.url, randomBytes(1000 + i))),
  )
  const winner = answers.findIndex(({ status }) => status === 200)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  const link = await read(app, listing, `crashes/${id}/download?kind=log`)
  assert.equal((await (await fetch(link.url)).arrayBuffer()).byteLength, 1000 + winner)
  const kept: string[] = []
  for await (const { key } of app.core.storage.list('crashes/')) kept.push(key)
  assert.equal(kept.length, 1)
})

test('accepts a file of 64 MB, rejects one byte more with 4130, and the link stays usable', async (t) => {
  const app = await startTelemetryApp(t)
  const to = await app.build(await app.a.listing())
  const { uploads } = must(await report(app, to, { has_log: true }))
  const large = Buffer.alloc(64 * MIB + 1)
  assert.deepEqual(code(await put(app, uploads.log.url, large)), [413, 4130])
  // Without a Content-Length, the limit applies while reading.
  const parts = form([{ name: 'file', filename: 'x', bytes: large }])
  assert.deepEqual(code(await app.call('PUT', uploads.log.url, parts)), [413, 4130])
  assert.equal(must(await put(app, uploads.log.url, large.subarray(1))).received, 64 * MIB)
})

test('accepts the form of crash reporters, with ids in headers or metadata', async (t) => {
  const app = await startTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const metadata = {
    id: 'r-1',
    app_id: to.game_uid,
    build_id: to.build_id,
    app_version: '1.0',
    os: 'Linux',
    arch: 'x86_64',
    locale: 'en',
    custom: { seed: 5 },
  }
  const parts = (about: object) => [
    { name: 'metadata', filename: 'metadata.json', bytes: Buffer.from(JSON.stringify(about)) },
    { name: 'dump', filename: 'r-1.dmp', bytes: crashedGame() },
    { name: 'log', filename: 'r-1.log', bytes: Buffer.from('log') },
  ]
  const send = (all: any[], headers = {}) =>
    app.call('POST', CRASHES, form(all, { headers: { ...fresh(), ...headers } }))
  const { id, uploads } = must(await send(parts(metadata)))
  assert.deepEqual(uploads, {})
  const crash = await read(app, listing, `crashes/${id}`)
  assert.deepEqual(
    [crash.has_dump, crash.has_log, crash.os, crash.metadata],
    [true, true, 'linux', { locale: 'en', custom: { seed: 5 } }],
  )
  // A reporter that lost the response repeats its report, which is recognized.
  assert.equal(must(await send(parts(metadata))).id, id)
  assert.equal((await read(app, listing, 'crashes')).total, 1)
  const again = must(
    await app.post(
      CRASHES,
      { id: 'r-1', has_dump: true },
      { headers: { ...idsOf(to), ...fresh() } },
    ),
  )
  assert.deepEqual(again, { id, uploads: {} })
  must(await send(parts({ id: 'r-2' }).toReversed(), idsOf(to)))
  must(await send([{ name: 'metadata', value: JSON.stringify({ ...metadata, id: 'r-3' }) }]))
  must(await send([parts({})[1]], idsOf(to)))
  assert.equal((await read(app, listing, 'crashes')).total, 4)
  assert.deepEqual(code(await send(parts(metadata).toReversed())), [401, 4025])
  assert.deepEqual(code(await send(parts({ ...metadata, build_id: randomUUID() }))), [401, 4025])
  assert.deepEqual(code(await send(parts(keys(65)), idsOf(to))), [413, 4130])
  assert.deepEqual(code(await send([{ name: 'metadata', value: '{' }], idsOf(to))), [400, 4000])
  const broken = form(parts(metadata), { headers: { ...idsOf(to), ...fresh() } })
  assert.deepEqual(
    code(
      await app.call('POST', CRASHES, {
        ...broken,
        raw: (broken.raw as Uint8Array<ArrayBuffer>).slice(0, 400),
      }),
    ),
    [400, 4000],
  )
  const kept: string[] = []
  for await (const { key } of app.core.storage.list('crashes/')) kept.push(key)
  assert.equal(kept.length, 5)
})

test('beyond the daily upload quota a report has no links, beyond the report quota it is 4290', async (t) => {
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
    headers: { ...idsOf(to), ...fresh() },
  })
  const { id } = must(await app.call('POST', CRASHES, sent))
  assert.equal((await read(app, listing, `crashes/${id}`)).has_log, false)
  const refused = await report(app, to, {})
  assert.deepEqual(code(refused), [429, 4290])
  assert.ok(
    Number(refused.headers['retry-after']) > 0 && Number(refused.headers['retry-after']) <= 86_400,
  )
  assert.equal((await report(app, other, {})).status, 201)
  // Repeating a report with files does not bypass the quota.
  const third = await app.build(await app.a.listing({ owner: listing.owner }))
  const again = (name: string, metadata: object) => {
    const parts = [
      { name: 'metadata', value: JSON.stringify({ id: 'again', ...metadata }) },
      { name, filename: 'x', bytes: Buffer.from('log') },
    ]
    return app.call('POST', CRASHES, form(parts, { headers: { ...idsOf(third), ...fresh() } }))
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
  assert.deepEqual(code(await put(app, links.log.url, Buffer.from('log'))), [404, 4040])
  must(await again('log', {}))
  assert.deepEqual({ ...(await taken())[0] }, { dump_size: null, log_size: 3 })
  assert.deepEqual(code(await put(app, relinked.log.url, Buffer.from('log'))), [404, 4040])
  await app.sql`update crash_days set day = day - 1`
  assert.equal((await report(app, to, {})).status, 201)
})

test('limits reports of an IP address to 60 a minute', async (t) => {
  const app = await startTelemetryApp(t)
  const to = await app.build(await app.a.listing())
  const headers = fresh()
  for (let i = 0; i < 60; i++)
    assert.equal((await report(app, to, { id: 'same' }, headers)).status, 201)
  assert.deepEqual(code(await report(app, to, {}, headers)), [429, 4290])
  assert.equal((await app.send(to, [{ event: 'quit' }], headers)).status, 202)
})

test('a crash report counts for launch health like a crash event', async (t) => {
  const app = await startTelemetryApp(t)
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

test('deletes reports past their retention with their files, and files without a report', async (t) => {
  const app = await startTelemetryApp(t, { CRASH_RETENTION_DAYS: '10' })
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const send = async () =>
    must(
      await app.call(
        'POST',
        CRASHES,
        form([{ name: 'log', filename: 'x', bytes: Buffer.from('log') }], {
          headers: { ...idsOf(to), ...fresh() },
        }),
      ),
    ).id
  const [old, young] = [await send(), await send()]
  await app.sql`update crashes set created_at = now() - interval '10 days 1 minute' where uid = ${old}`
  await app.sql`update crashes set created_at = now() - interval '9 days' where uid = ${young}`
  await app.core.storage.put(
    'crashes/01800000-0000-7000-8000-000000000000.log',
    Buffer.from('left'),
  )
  const said = async (user_message: string) => {
    const { id } = must(await report(app, to, { user_message }))
    return (await read(app, listing, `crashes/${id}`)).group_uid as string
  }
  const [over, resolved] = [await said('over'), await said('resolved')]
  must(
    await app.patch(
      `/api/v1/private/games/${listing.uid}/crash-groups/${resolved}`,
      { status: 'resolved' },
      listing.owner,
    ),
  )
  await app.sql`update crashes set created_at = now() - interval '11 days' where group_uid in (${over}, ${resolved})`
  await app.sql`update crash_groups set last_seen = now() - interval '11 days' where uid in (${over}, ${resolved})`
  await app.core.jobs.send(app.sql, 'telemetry.sweep-crashes')
  const kept = async () => {
    const found: string[] = []
    for await (const { key } of app.core.storage.list('crashes/')) found.push(key)
    return found.length
  }
  await eventually('the sweep', async () => (await kept()) === 1)
  assert.deepEqual(
    (await read(app, listing, 'crashes')).items.map(({ id }: any) => id),
    [young],
  )
  // A group is deleted with its last report. A resolved group stays, without its title.
  const groups = () =>
    app.sql`select uid, title from crash_groups where uid in (${over}, ${resolved})`
  await eventually('the groups', async () => (await groups()).length === 1)
  assert.deepEqual([...(await groups())], [{ uid: resolved, title: '' }])
  assert.equal(await said('resolved'), resolved)
  assert.match((await groups())[0]!.title, /^resolved/)
})
