import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cut, lossyDatabase } from '../../../sim/lossy-database.ts'
import { sweep } from '../../../src/accounts/jobs.ts'
import { type Call, eventually, runJob } from '../../support/app.ts'
import { addCopy, must, refused } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'
import { picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { GAMES, report, startBugApp, storedScreenshots } from '../fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

const keyed = (key: string, { headers, raw }: Call = report()): Call => ({
  raw,
  headers: { ...headers, 'idempotency-key': key },
})

/** The same form with another boundary, as a client that encodes it again sends it. */
function encodedAgain({ headers, raw }: Call): Call {
  const text = Buffer.from(raw as Uint8Array).toString('latin1')
  const rename = (value: string) => value.replaceAll('form-boundary-7d1b', 'another-boundary')
  return {
    raw: new Uint8Array(Buffer.from(rename(text), 'latin1')),
    headers: Object.fromEntries(
      Object.entries(headers!).map(([name, value]) => [name, rename(value)]),
    ),
  }
}

test('a bug report with the same key and content is filed once', async (t) => {
  const app = await sharedBugApp(t)
  const game = await app.buggyGame({ daily_cap: 1 })
  const token = await app.tokenOf(game.uid, await app.player())
  const first = keyed('key-1', report({ os: 'linux' }, { screenshot: await picture(8, 8) }))
  const filed = must(await app.send(game.uid, token, first))
  // The daily cap is reached by the first, and does not refuse its repetition.
  for (const repeated of [first, encodedAgain(first)]) {
    const answer = await app.send(game.uid, token, repeated)
    assert.deepEqual([answer.status, answer.body.data], [201, filed])
  }
  const { items } = must(await app.get(`${GAMES}/${game.uid}/bugs`, game.owner))
  assert.equal(items.length, 1)
  assert.deepEqual(storedScreenshots(app.data_dir), [`${game.uid}/${filed.bug_uid}`])
  assert.deepEqual(refused(await app.send(game.uid, token, keyed('key-2'))), [429, 4291])
})

test('a key is refused for other content, and belongs to its caller', async (t) => {
  const app = await sharedBugApp(t)
  const game = await app.buggyGame()
  const other_game = await app.buggyGame()
  const player = await app.player()
  const token = await app.tokenOf(game.uid, player)
  const screenshot = await picture(8, 8)
  const first = keyed('k', report({}, { screenshot, log: 'a' }))
  const { bug_uid } = must(await app.send(game.uid, token, first))
  const different = [
    report({ message: 'Something else' }, { screenshot, log: 'a' }),
    report({}, { screenshot: await picture(9, 9), log: 'a' }),
    report({}, { screenshot, log: 'b' }),
    report({}, { log: 'a' }),
  ]
  for (const sent of different)
    assert.deepEqual(refused(await app.send(game.uid, token, keyed('k', sent))), [409, 4095])
  const other_token = await app.tokenOf(other_game.uid, player)
  assert.deepEqual(refused(await app.send(other_game.uid, other_token, first)), [409, 4095])
  const stranger = await app.tokenOf(game.uid, await app.player())
  const { bug_uid: theirs } = must(await app.send(game.uid, stranger, first))
  assert.notEqual(theirs, bug_uid)
  assert.equal(storedScreenshots(app.data_dir, game.uid).length, 2)
})

test('a key has 1 to 255 visible characters', async (t) => {
  const app = await sharedBugApp(t)
  const game = await app.buggyGame()
  const token = await app.tokenOf(game.uid, await app.player())
  must(await app.send(game.uid, token, keyed('x'.repeat(255))))
  for (const key of ['x'.repeat(256), 'a b', 'ü', ''])
    assert.deepEqual(refused(await app.send(game.uid, token, keyed(key))), [400, 4000], key)
})

test('reports with the same key at the same time become one ticket', async (t) => {
  const app = await sharedBugApp(t)
  const game = await app.buggyGame()
  const token = await app.tokenOf(game.uid, await app.player())
  const sent = keyed('same', report({}, { screenshot: await picture(8, 8) }))
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => app.send(game.uid, token, sent)),
  )
  assert.equal(new Set(answers.map((answer) => must(answer).bug_uid)).size, 1)
  const { items } = must(await app.get(`${GAMES}/${game.uid}/bugs`, game.owner))
  assert.equal(items.length, 1)
  assert.equal(storedScreenshots(app.data_dir, game.uid).length, 1)
})

test('a refused report leaves its key unused', async (t) => {
  const app = await sharedBugApp(t)
  const game = await app.buggyGame()
  const token = await app.tokenOf(game.uid, await app.player())
  await app.configure(game, { enabled: false })
  assert.deepEqual(refused(await app.send(game.uid, token, keyed('k'))), [403, 4030])
  await app.configure(game, { enabled: true })
  must(await app.send(game.uid, token, keyed('k', report({ message: 'Now' }))))
})

test('a repeated report from the store gets the same upload links, sealed until then', async (t) => {
  const app = await startBugApp(t)
  const game = await app.a.listing()
  const player = await app.a.verified()
  const { build_id } = await app.a.cleanBuild(game)
  await addCopy(app.sql, game.uid, player.uid, 'grant')
  const body = { message: 'It crashed', build_id, include_dump: true }
  const headers = { 'idempotency-key': 'k' }
  const send = () => app.post(`${GAMES}/${game.uid}/bug-reports`, body, { ...player, headers })
  const first = must(await send())
  assert.ok(first.uploads.dump.url)
  assert.deepEqual(must(await send()), first)
  const rows = await app.sql`select i::text as text from idempotency_keys i`
  assert.equal(rows.length, 1)
  const secret = first.uploads.dump.url.split('/').at(-1)
  assert.ok(!rows[0]!.text.includes(secret))
  assert.ok(!Buffer.from(rows[0]!.text).includes(first.bug_uid))
})

test('a key can be used again after 24 hours, and is deleted then', async (t) => {
  const app = await sharedBugApp(t)
  const game = await app.buggyGame()
  const token = await app.tokenOf(game.uid, await app.player())
  const { bug_uid } = must(await app.send(game.uid, token, keyed('k')))
  const age = (hours: number) =>
    app.sql`update idempotency_keys set created_at = now() - ${hours} * interval '1 hour'`
  await age(23)
  await runJob(app, sweep)
  assert.equal(must(await app.send(game.uid, token, keyed('k'))).bug_uid, bug_uid)
  await age(25)
  assert.notEqual(must(await app.send(game.uid, token, keyed('k'))).bug_uid, bug_uid)
  await age(25)
  await runJob(app, sweep)
  assert.equal((await app.sql`select from idempotency_keys`).length, 0)
})

/** The client cannot know whether the report was filed, and repeats it until it has an answer. */
test('a report whose commit was cut is filed once when it is repeated', async (t) => {
  const database = await lossyDatabase(await freshDatabase(t))
  cleanup(t, () => database.close())
  const app = await startBugApp(t, { DATABASE_URL: database.url })
  const game = await app.buggyGame({ daily_cap: 100 })
  const token = await app.tokenOf(game.uid, await app.player())
  let filed = 0
  let refusals = 0
  for (const cut of ['before', 'after'] satisfies Cut[])
    for (let round = 0; round < 5; round++) {
      const sent = keyed(
        `${cut}-${round}`,
        report({ message: `${cut} ${round}` }, { screenshot: await picture(8, 8) }),
      )
      database.cutNext(cut)
      const { status } = await app.send(game.uid, token, sent)
      database.cutNext(undefined)
      if (status !== 201) refusals++
      await eventually(
        'the ticket',
        async () => (await app.send(game.uid, token, sent)).status === 201,
      )
      filed++
      const { items } = must(await app.get(`${GAMES}/${game.uid}/bugs?page_size=100`, game.owner))
      assert.equal(items.length, filed, `${cut} ${round}`)
    }
  assert.ok(refusals > 0, 'the cuts did not reach the reports')
})
