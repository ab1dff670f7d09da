import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must, newAddress, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { form } from '../uploads/forms.ts'
import { sha256 } from '../uploads/zips.ts'
import { put, read, report } from './crash-fixtures.ts'
import { crashedGame, SYMBOLS } from './dumps.ts'
import { CRASHES, idsOf, startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

test('analyzes a dump with the symbols of its build, and again when more arrive', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const to = await app.build(listing, { version: '1.0' })
  const metadata = { app_version: '1.0', os: 'linux', message: 'boom' }
  const send = async () => {
    const parts = [
      { name: 'metadata', value: JSON.stringify(metadata) },
      { name: 'dump', filename: 'x', bytes: crashedGame() },
    ]
    return must(
      await app.call('POST', CRASHES, form(parts, { headers: { ...idsOf(to), ...newAddress() } })),
    ).id as string
  }
  const analyzed = (id: string, name?: string) =>
    eventually('the analysis', async () => {
      const crash = await read(app, listing, `crashes/${id}`)
      return crash.has_stack && crash.analysis.frames[0].function === name && crash
    })
  const first = await send()
  const bare = await analyzed(first)
  assert.equal(bare.analysis.crash_reason, 'SIGSEGV / SEGV_MAPERR')
  const { groups } = await read(app, listing, 'crash-groups')
  assert.deepEqual([groups.length, groups[0].kind, groups[0].count], [1, 'frames', 1])
  // The reporter sees the reason and the addresses, but no names.
  assert.deepEqual(must(await app.get(`${CRASHES}/${first}`)), {
    id: first,
    analysis: { crash_reason: 'SIGSEGV / SEGV_MAPERR', crash_address: '0x10' },
  })
  const bytes = Buffer.from(SYMBOLS)
  const ci = await app.a.deployer(listing)
  const symbols = form(
    [
      { name: 'build_id', value: to.build_id },
      { name: 'checksum', value: sha256(bytes) },
      { name: 'file', filename: 'game.sym', bytes },
    ],
    ci,
  )
  must(await app.call('POST', '/api/v1/tool/upload/symbols', symbols))
  const second = await send()
  const crash = await analyzed(second, 'World::explode(int)')
  assert.deepEqual(
    crash.analysis.frames.map((frame: any) => frame.function),
    ['World::explode(int)', 'World::tick()', 'main', '_start'],
  )
  assert.match(crash.stack_excerpt, /World::tick/)
  await app.core.jobs.send(app.sql, 'telemetry.walk-again')
  await analyzed(first, 'World::explode(int)')
  const after = (await read(app, listing, 'crash-groups')).groups
  assert.deepEqual(
    [after.length, after[0].count, after[0].title],
    [1, 2, 'World::explode: SIGSEGV / SEGV_MAPERR'],
  )
  const stack = await app.get(`${CRASHES}/${second}/stack`)
  assert.match(stack.body, /^0 {2}game \+ 0x1010\n1 {2}game \+ 0x2020\n/)
  assert.doesNotMatch(stack.body, /World/)
  const link = await read(app, listing, `crashes/${second}/download?kind=stack`)
  assert.match(await (await fetch(link.url)).text(), /World::explode/)
  await app.sql`update crashes set created_at = now() - interval '16 minutes'`
  for (const path of [second, `${second}/stack`, randomUUID(), 'x'])
    assert.deepEqual(refused(await app.get(`${CRASHES}/${path}`)), [404, 4040])
})

test('notes that a dump is unreadable and keeps the group of its report', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const { id, uploads } = must(await report(app, to, { has_dump: true, user_message: 'x' }))
  must(
    await put(
      app,
      uploads.dump.url,
      Buffer.from('no dump at all, but long enough to be looked at'),
    ),
  )
  const crash = await eventually('the analysis', async () => {
    const crash = await read(app, listing, `crashes/${id}`)
    return crash.analysis === null ? undefined : crash
  })
  assert.deepEqual(crash.analysis, { note: 'The dump could not be read: not a minidump' })
  assert.deepEqual([crash.has_stack, crash.has_dump], [false, true])
  assert.equal((await read(app, listing, 'crash-groups')).groups[0].kind, 'message')
  assert.equal(must(await app.get(`${CRASHES}/${id}`)).analysis, null)
})

test('groups reports by message, version and system, and detects regressions', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const [first, second, third] = [
    await app.build(listing, { version: '1.0' }),
    await app.build(listing, { version: '1.9' }),
    await app.build(listing, { version: '1.10' }),
  ]
  const message = { app_version: 'v', os: 'linux', user_message: 'bad pointer 0x7ffe12345678' }
  const groups = async () => (await read(app, listing, 'crash-groups')).groups
  must(await report(app, first, message))
  must(await report(app, second, { ...message, user_message: 'bad  pointer 0x00001234' }))
  for (const other of [{ app_version: 'w' }, { os: 'macos' }, { user_message: 'other' }])
    must(await report(app, first, { ...message, ...other }))
  const all = await groups()
  assert.equal(all.length, 4)
  const group = all.at(-1)
  assert.deepEqual(
    [group.count, group.builds.map((b: any) => [b.build_id, b.count])],
    [
      2,
      [
        [second.build_id, 1],
        [first.build_id, 1],
      ],
    ],
  )
  assert.deepEqual(
    [all[0].title, group.status, group.kind],
    ['other (v, linux)', 'open', 'message'],
  )
  assert.ok(group.first_seen < group.last_seen)
  const path = `/api/v1/private/games/${listing.uid}/crash-groups/${group.uid}`
  const patch = async (body: object) => must(await app.patch(path, body, listing.owner))
  const now = async () => (await groups()).find(({ uid }: any) => uid === group.uid)
  // A fix in 1.10 means that older builds may still crash.
  assert.deepEqual(
    [(await patch({ status: 'resolved', version: '1.10' })).status, (await now()).resolved_in],
    ['resolved', '1.10'],
  )
  must(await report(app, second, message))
  assert.equal((await now()).status, 'resolved')
  must(await report(app, third, message))
  const back = await now()
  assert.deepEqual(
    [back.status, back.regressed_build_id, back.count],
    ['regressed', third.build_id, 4],
  )
  assert.ok(back.regressed_at)
  // Without a version, builds that are registered later contain the fix.
  await patch({ status: 'resolved' })
  must(await report(app, third, message))
  assert.equal((await now()).status, 'resolved')
  must(await report(app, await app.build(listing, { version: '2.0' }), message))
  assert.equal((await now()).status, 'regressed')
  assert.deepEqual(
    [(await patch({ status: 'open' })).status, (await now()).regressed_at],
    ['open', null],
  )
  assert.deepEqual(refused(await app.patch(path, { status: 'gone' }, listing.owner)), [400, 4000])
  assert.deepEqual(
    refused(await app.patch(path, { status: 'open' }, await app.a.developer())),
    [404, 4040],
  )
  assert.deepEqual(
    refused(
      await app.patch(path.replace(group.uid, randomUUID()), { status: 'open' }, listing.owner),
    ),
    [404, 4040],
  )
})
