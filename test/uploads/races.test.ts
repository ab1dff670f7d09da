import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { client, eventually } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { childService } from '../support/child.ts'
import { loopCount } from '../support/loop-count.ts'
import {
  chunkForm,
  FILES,
  fileIsClean,
  startUploadApp,
  storedFile,
  uploadSessions,
} from './fixtures.ts'
import { sha256, zip } from './zips.ts'

const PAIRS = loopCount({ short: 12, full: 500 })
const game = zip([{ name: 'bin/game', body: randomBytes(3_000_000), method: 0 }])

async function start(t: TestContext) {
  const app = await startUploadApp(t)
  const parts = () =>
    readdirSync(join(app.data_dir, 'uploads')).map((name) => join(app.data_dir, 'uploads', name))
  const sessionRow = async () => {
    const rows = await app.sql`
      select current_size, holder, held_until, file_uid, part, part_contested
      from upload_sessions`
    return rows[0]!
  }
  return { ...app, ...uploadSessions(app, game), parts, sessionRow }
}
type Started = Awaited<ReturnType<typeof start>>

/** Another process of the service on the same database and disk. */
const another = (t: TestContext, { settings }: Started) =>
  childService(t, { ...settings, SLIPWAY_ROLES: 'api,upload', LOG_LEVEL: 'fatal' })

/** Sends the head of a chunk at once, and its bytes and end on demand. */
function slowChunk(url: string, headers: Record<string, string>, length: number) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  const before = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'
  const after = '\r\n--b--\r\n'
  const sent = { ...headers, host: 'x', 'content-type': 'multipart/form-data; boundary=b' }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  const total = before.length + length + after.length
  socket.write(
    `POST ${FILES} HTTP/1.1\r\n${lines.join('')}content-length: ${total}\r\n\r\n${before}`,
  )
  const answer = once(socket, 'data').then(([bytes]) => String(bytes))
  return {
    socket,
    answer,
    write: (bytes: Buffer | string) => socket.write(bytes),
    end: () => socket.write(after),
  }
}

test(`of ${PAIRS} pairs of concurrent chunks to two processes, exactly one each is stored`, {
  timeout: 1_800_000,
}, async (t) => {
  const app = await start(t)
  const processes = [app, client(await another(t, app).start())]
  const length = 5000
  const total = length * (PAIRS + 1)
  const checksum = sha256(Buffer.from('never complete'))
  const session = await app.open({ total_size: String(total), checksum })
  const seen = { busy: 0, late: 0 }
  for (let at = 0; at < PAIRS * length; at += length) {
    const both = [randomBytes(length), randomBytes(length)]
    const first = randomInt(2)
    const race = await Promise.all(
      both.map((bytes, nth) => {
        const { call } = processes[(nth + first) % 2]!
        const range = `bytes ${at}-${at + length - 1}/${total}`
        return app.chunk(session, at, at + length, { call, bytes, range })
      }),
    )
    assert.deepEqual(race.map(({ status }) => status).sort(), [202, 409])
    const lost = race.find(({ status }) => status === 409)!.body
    assert.ok(
      lost.error.code === 4047 ||
        (lost.error.code === 4044 && lost.data.current_size === at + length),
      JSON.stringify(lost),
    )
    seen[lost.error.code === 4047 ? 'busy' : 'late']++
    const { current_size, holder, file_uid, part } = await app.sessionRow()
    assert.deepEqual([current_size, holder, part], [at + length, null, null])
    const stored = readFileSync(join(app.data_dir, `uploads/${file_uid}.part`)).subarray(
      at,
      at + length,
    )
    assert.ok(stored.equals(both[race.findIndex(({ status }) => status === 202)]!))
  }
  t.diagnostic(
    `${PAIRS} racing pairs: ${PAIRS} winners, ` +
      `${seen.busy} rejected as busy, ${seen.late} rejected as too late`,
  )
})

test('a slow chunk keeps its session lease while bytes arrive', async (t) => {
  const app = await start(t)
  const session = await app.open()
  const slow = slowChunk(app.url, app.headersOf(session, 0, game.length), game.length)
  slow.write(game.subarray(0, 1))
  const before = await eventually(
    'the lease',
    async () => ((await app.sessionRow()).held_until ?? undefined) as Date | undefined,
  )
  let sent = 1
  await eventually('a longer lease', async () => {
    slow.write(game.subarray(sent, ++sent))
    return (await app.sessionRow()).held_until > before
  })
  assert.deepEqual(refused(await app.chunk(session, 0, game.length)), [409, 4047])
  slow.write(game.subarray(sent))
  slow.end()
  assert.match(await slow.answer, /^HTTP\/1.1 201/)
})

test('writes after a lost session lease change nothing, however often it is lost', async (t) => {
  const app = await start(t)
  const session = await app.open()
  must(await app.chunk(session, 0, 1_000_000))
  const frozen: number[] = []
  for (const at of [1_000_000, 2_000_000]) {
    // Wait until the lease of the previous chunk has ended, so that it is not mistaken for the next
    // one.
    await eventually('the end of the lease', async () => (await app.sessionRow()).holder === null)
    const lost = slowChunk(app.url, app.headersOf(session, at, game.length), game.length - at)
    await eventually('the lease', async () => (await app.sessionRow()).holder !== null)
    for (const path of app.parts()) frozen.push(openSync(path, 'r+'))
    // A request that takes the lease over and fails changes nothing. On a busy machine the holder
    // may just have renewed its lease, so repeat it.
    const short = chunkForm(game.subarray(0, 9), app.headersOf(session, at, at + 10))
    await eventually('the loss of the lease', async () => {
      await app.sql`update upload_sessions set held_until = now()`
      return refused(await app.call('POST', FILES, short)).join() === '400,4044'
    })
    assert.equal((await app.sessionRow()).part_contested, true)
    const end = Math.min(game.length, at + 1_000_000)
    must(await app.chunk(session, at, end))
    for (const handle of frozen)
      for (let place = 0; place < game.length; place += 100_000)
        writeSync(handle, 'overwritten', place)
    lost.socket.destroy()
  }
  const { file_uid } = must(await app.chunk(session, 3_000_000, game.length))
  for (const handle of frozen) writeSync(handle, 'overwritten', 0)
  for (const handle of frozen) closeSync(handle)
  assert.ok((await storedFile(app.core.storage, app.listing.uid, file_uid)).equals(game))
  await eventually('the removal of all parts', () => app.parts().length === 0)
  await fileIsClean(app)
})

test('a process that is suspended during a chunk loses it and changes nothing later', async (t) => {
  const app = await start(t)
  const other = another(t, app)
  const url = await other.start()
  const session = await app.open()
  must(await app.chunk(session, 0, 500_000))
  const length = game.length - 500_000
  const slow = slowChunk(url, app.headersOf(session, 500_000, game.length), length)
  slow.write(Buffer.alloc(1_200_000, 'z'))
  const written = (path: string) => readFileSync(path).length > 1_000_000
  await eventually('bytes on the disk', () => app.parts().some(written))
  other.signal('SIGSTOP')
  slow.write(Buffer.alloc(length - 1_200_000, 'z'))
  slow.end()
  await eventually(
    'another chunk to be accepted',
    async () => (await app.chunk(session, 500_000, 2_500_000)).status === 202,
  )
  other.signal('SIGCONT')
  assert.match(await slow.answer, /^HTTP\/1.1 409 .*"code":4047/s)
  const { file_uid } = must(await app.chunk(session, 2_500_000, game.length))
  assert.ok((await storedFile(app.core.storage, app.listing.uid, file_uid)).equals(game))
})
