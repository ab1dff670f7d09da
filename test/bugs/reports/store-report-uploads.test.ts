import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { addCopy, must, refused } from '../../support/builders.ts'

test('a store report with a dump and a log gets upload links and becomes a crash', async (t) => {
  const { a, post, get, put, call, sql } = await startApp(t)
  const [game, other] = [await a.listing(), await a.listing()]
  const player = await a.verified()
  const { build_id } = await a.cleanBuild(game)
  const { build_id: foreign } = await a.cleanBuild(other)
  await addCopy(sql, game.uid, player.uid, 'grant')
  const report = (body: object) =>
    post(
      `/api/v1/private/games/${game.uid}/bug-reports`,
      { message: 'The mast falls off', ...body },
      player,
    )
  const rowCount = async () =>
    Number((await sql`select count(*) from bugs`)[0]!.count) +
    Number((await sql`select count(*) from crashes`)[0]!.count)

  for (const body of [
    { include_log: true },
    { include_dump: true, build_id: '' },
    { include_dump: true, build_id: foreign },
    { include_log: true, build_id: '00000000-0000-7000-8000-000000000000' },
    { include_log: 'yes', build_id },
  ])
    assert.deepEqual(refused(await report(body)), [400, 4000], JSON.stringify(body))
  assert.equal(await rowCount(), 0, 'a refused report left a ticket or a crash')
  assert.equal((await sql`select from bug_counts`).length, 0)

  const plain = must(await report({ include_dump: false, include_log: false }))
  assert.deepEqual([plain.crash_id, plain.uploads], [undefined, undefined])
  const filed = must(await report({ include_log: true, build_id, os: 'linux' }))
  assert.deepEqual(Object.keys(filed.uploads), ['log'])
  const link = new URL(filed.uploads.log.url).pathname
  must(await call('PUT', link, { raw: 'creak' }))
  assert.deepEqual(
    refused(await call('PUT', link, { raw: 'again' })),
    [409, 4090],
    'the link was accepted twice',
  )
  const lasts = (new Date(filed.uploads.log.expires_at).getTime() - Date.now()) / 3_600_000
  assert.ok(lasts > 23.9 && lasts <= 24, String(lasts))

  const tickets = must(await get(`/api/v1/private/games/${game.uid}/bugs`, game.owner)).items
  assert.deepEqual(
    tickets.map((ticket: any) => ticket.crash_id),
    [filed.crash_id, null],
  )
  const crash = must(
    await get(`/api/v1/private/games/${game.uid}/crashes/${filed.crash_id}`, game.owner),
  )
  assert.deepEqual([crash.user_message, crash.metadata.message], ['', 'Sent with a bug report'])
  const { key } = await a.key('agent', game.owner, ['mcp:crash.read'])
  for (const path of ['crashes', `crashes/${filed.crash_id}`, 'crash-groups']) {
    const read = JSON.stringify(
      must(await get(`/api/v1/private/games/${game.uid}/${path}`, { token: key })),
    )
    assert.doesNotMatch(read, /mast/, 'the key reads the message of a ticket')
  }
  assert.equal(
    must(await get(`/api/v1/private/games/${game.uid}/builds/${build_id}/health`, game.owner))
      .devices,
    0,
  )

  must(await put(`/api/v1/private/games/${game.uid}/bug-reporter`, { daily_cap: 2 }, game.owner))
  assert.deepEqual(refused(await report({ include_log: true, build_id })), [429, 4291])
  assert.equal((await sql`select from crashes`).length, 1, 'a report past the cap created a crash')
})
