import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { form } from '../../uploads/forms.ts'
import { report, startBugApp, storedScreenshots } from '../fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

test('rejects unknown, repeated and invalid form fields and stores nothing', async (t) => {
  const { buggyGame, player, tokenOf, send, data_dir } = await sharedBugApp(t)
  const game = await buggyGame()
  const token = await tokenOf(game.uid, await player())
  const shot = { name: 'screenshot', filename: 'a.png', bytes: await picture(32, 32) }
  const message = { name: 'message', value: 'x' }
  const cases = [
    [message, { name: 'severity', value: 'high' }],
    [message, message],
    [message, { name: 'screenshot', value: 'not a file' }],
    [message, { name: 'dump', filename: 'a.dmp', bytes: Buffer.from('x') }],
    [
      message,
      { name: 'log', value: 'a' },
      { name: 'log', filename: 'a.log', bytes: Buffer.from('b') },
    ],
    [
      message,
      { name: 'log', filename: 'a.log', bytes: Buffer.from('b') },
      { name: 'log', filename: 'a.log', bytes: Buffer.from('b') },
    ],
    [message, shot, shot],
    [shot, { name: 'message', value: '' }],
    [message, { name: 'build_id', value: '1.0' }],
    [message, { name: 'client_version', value: 'v'.repeat(65) }],
    [message, { name: 'os', value: 'o'.repeat(33) }],
    Array.from({ length: 17 }, () => ({ name: 'log', value: 'a' })),
  ]
  for (const parts of cases)
    assert.deepEqual(
      refused(await send(game.uid, token, form(parts))),
      [400, 4000],
      JSON.stringify(parts.map(({ name }) => name)),
    )
  assert.deepEqual(storedScreenshots(data_dir, game.uid), [])
  const longest = [
    message,
    { name: 'client_version', value: 'v'.repeat(64) },
    { name: 'os', value: 'o'.repeat(32) },
  ]
  assert.equal((await send(game.uid, token, form(longest))).status, 201)
})

test('rejects malformed forms and stores nothing', async (t) => {
  const { buggyGame, player, tokenOf, send, data_dir, sql } = await sharedBugApp(t)
  const game = await buggyGame()
  const token = await tokenOf(game.uid, await player())
  const good = report({}, { screenshot: await picture(64, 64) })
  const complete = Buffer.from(good.raw as Uint8Array)
  const cut = (bytes: Uint8Array) => ({ ...good, raw: new Uint8Array(bytes) })
  const cases = [
    { headers: { 'content-type': 'application/json' }, raw: '{"message":"x"}' },
    { headers: { 'content-type': 'multipart/form-data' }, raw: good.raw },
    { headers: { 'content-type': 'multipart/form-data; boundary=other' }, raw: good.raw },
    { headers: good.headers, raw: '' },
    cut(complete.subarray(0, complete.length - 8)),
    cut(complete.subarray(0, 200)),
    cut(Buffer.from(complete.toString('latin1').replace('The door', 'The \0oor'), 'latin1')),
    cut(Buffer.from(complete.toString('latin1').replace('The door', 'The \xff\xfe'), 'latin1')),
  ]
  for (const [index, sent] of cases.entries())
    assert.deepEqual(refused(await send(game.uid, token, sent)), [400, 4000], `case ${index}`)
  assert.deepEqual(storedScreenshots(data_dir, game.uid), [])
  const [totals] = await sql`
    select
      count(*)::int as tickets,
      (select coalesce(sum(count), 0)::int from bug_counts where game_uid = ${game.uid}) as counted
    from bugs
    where game_uid = ${game.uid}`
  assert.deepEqual({ ...totals }, { tickets: 0, counted: 0 }, 'a refused report was counted')
})

test('refuses reports while the reporter is off, without reading the body', async (t) => {
  const { game, player, tokenOf, send, configure } = await sharedBugApp(t)
  const [off, someone] = [await game(), await player()]
  const token = await tokenOf(off.uid, someone)
  assert.deepEqual(refused(await send(off.uid, token)), [403, 4030])
  await configure(off, { enabled: true })
  assert.equal((await send(off.uid, token)).status, 201)
  await configure(off, { enabled: false })
  assert.deepEqual(
    refused(
      await send(off.uid, token, {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        raw: 'junk',
      }),
    ),
    [403, 4030],
  )
})

test('refuses a report if the reporter is turned off or the cap reached meanwhile', async (t) => {
  const { buggyGame, player, tokenOf, send, sendSlowly, configure, data_dir, sql } =
    await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 1 })
  const token = await tokenOf(game.uid, await player())
  const sent = report({}, { screenshot: await picture(64, 64) })
  async function slowly(meanwhile: () => Promise<unknown>) {
    const answer = await sendSlowly(game.uid, token, sent, meanwhile)
    return [answer.statusCode, ((await json(answer)) as any).error?.code]
  }
  assert.deepEqual(await slowly(() => configure(game, { enabled: false })), [403, 4030])
  assert.deepEqual(storedScreenshots(data_dir, game.uid), [])
  await configure(game, { enabled: true })
  assert.deepEqual(await slowly(async () => must(await send(game.uid, token))), [429, 4291])
  assert.deepEqual(storedScreenshots(data_dir, game.uid), [])
  const [totals] = await sql`
    select count(*)::int as tickets, (select sum(count)::int from bug_counts where game_uid = ${game.uid}) as counted
    from bugs
    where game_uid = ${game.uid}`
  assert.deepEqual({ ...totals }, { tickets: 1, counted: 1 })
})
