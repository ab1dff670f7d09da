import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { compareBuildVersions } from '../../src/builds/channels/build-order.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { type Answer, client, eventually, temporaryFolder } from '../support/app.ts'
import { builders, must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { loopCount } from '../support/loop-count.ts'
import {
  chunkHeaders,
  type DeployKey,
  FILES,
  REGISTER,
  SESSIONS,
  sessionFields,
  sessionRequest,
} from './fixtures.ts'
import { zip } from './zips.ts'

const KILLS = loopCount({ short: 2, full: 200 })
const GAMES = 3
const UPLOADERS_A_GAME = 3

async function start(t: TestContext) {
  const DATABASE_URL = await freshDatabase(t)
  const DATA_DIR = temporaryFolder(t)
  const PORT = await freePort()
  const child = childService(t, { DATABASE_URL, DATA_DIR, PORT })
  await child.start()
  const sql = openPool(DATABASE_URL, 2, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  return {
    child,
    sql,
    data_dir: DATA_DIR,
    port: Number(PORT),
    http: client(`http://127.0.0.1:${PORT}`),
  }
}
type Service = Awaited<ReturnType<typeof start>>
type Done = { game: string; file_uid: string; checksum: string }

/**
 * When to kill the service: during the bytes of a chunk, or between its last byte and the response.
 */
type KillPoint = { kind: 'bytes'; part: number } | { kind: 'answer'; after_ms: number }
const newKillPoint = (): KillPoint =>
  randomInt(3) > 0
    ? { kind: 'bytes', part: Math.random() }
    : { kind: 'answer', after_ms: randomInt(2) ? randomInt(30) : 0 }

/** Arms one kill at a time, which the next chunk triggers. */
function killSwitch({ child }: Service) {
  const counts = { bytes: 0, answer: 0 }
  let armed: KillPoint | undefined
  let killing: Promise<void> | undefined
  return {
    counts,
    arm: () => {
      armed = newKillPoint()
    },
    /** Takes the armed kill for this chunk, so that no other chunk triggers it. */
    take(): KillPoint | undefined {
      const taken = killing ? undefined : armed
      if (taken) armed = undefined
      return taken
    },
    rearm: (unused: KillPoint) => {
      armed = unused
    },
    kill: (kind: KillPoint['kind']) => {
      counts[kind]++
      killing = child
        .kill()
        .then(() => child.start())
        .then(() => {
          killing = undefined
        })
      return killing
    },
    total: () => counts.bytes + counts.answer,
  }
}
type KillSwitch = ReturnType<typeof killSwitch>

/** Retries until the service responds, because it is down between a kill and the next start. */
async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send().catch(() => undefined)
    if (answer && answer.status < 500) return answer
    await pause(100)
  }
}

/**
 * Sends one chunk in small pieces, so that the service can be killed at any byte. Returns undefined
 * if the connection broke.
 */
async function sendChunk(
  { port }: Service,
  kills: KillSwitch,
  headers: Record<string, string>,
  bytes: Buffer,
): Promise<Answer | undefined> {
  const socket = connect(port, '127.0.0.1')
  const answer = readAnswer(socket)
  const before = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n',
  )
  const after = Buffer.from('\r\n--b--\r\n')
  const lines = Object.entries({
    ...headers,
    host: 'x',
    connection: 'close',
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': String(before.length + bytes.length + after.length),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const write = async (piece: Buffer | string) => {
    // A closed socket emits neither `drain` nor another `close`.
    if (!socket.writable) return false
    if (!socket.write(piece))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
    return socket.writable
  }
  const point = kills.take()
  let triggered = false
  if (await write(`POST ${FILES} HTTP/1.1\r\n${lines.join('')}\r\n`)) {
    await write(before)
    const stop =
      point?.kind === 'bytes' ? Math.floor(point.part * bytes.length) : Number.POSITIVE_INFINITY
    const piece = 32 * 1024
    for (let at = 0; at < bytes.length && !socket.destroyed; at += piece) {
      if (at <= stop && stop < at + piece) {
        await write(bytes.subarray(at, stop))
        triggered = true
        await kills.kill('bytes')
        break
      }
      await write(bytes.subarray(at, at + piece))
    }
    await write(after)
    if (point?.kind === 'answer' && !socket.destroyed) {
      triggered = true
      if (point.after_ms) await pause(point.after_ms)
      await kills.kill('answer')
    }
  }
  if (point && !triggered) kills.rearm(point)
  return answer
}

async function readAnswer(socket: Socket): Promise<Answer | undefined> {
  const pieces: Buffer[] = []
  socket.on('data', (bytes: Buffer) => pieces.push(bytes))
  socket.on('error', () => {})
  await once(socket, 'close').catch(() => {})
  const [head = '', body = ''] = Buffer.concat(pieces).toString('utf8').split('\r\n\r\n')
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0)
  // Ignore a response that was not received completely.
  if (status === 0 || Buffer.byteLength(body) !== Number(/content-length: (\d+)/i.exec(head)?.[1]))
    return undefined
  return { status, headers: {}, body: JSON.parse(body) }
}

type UploadOptions = {
  service: Service
  kills: KillSwitch
  ci: DeployKey
  version: string
  seen: { resumed: number; waited: number }
}

/** Uploads a file despite kills, and checks that no acknowledged byte is lost. */
async function uploadThrough({ service, kills, ci, version, seen }: UploadOptions) {
  const { http } = service
  const build = { version, os: 'linux', arch: 'x86_64' }
  const { build_id } = must(await untilAnswered(() => http.post(REGISTER, build, ci)))
  const bytes = zip([{ name: 'game', body: randomBytes(randomInt(400_000, 1_500_000)), method: 0 }])
  const fields = sessionFields(bytes, build_id)
  const opening = sessionRequest(fields, ci)
  const { session_id: session } = must(
    await untilAnswered(() => http.call('POST', SESSIONS, opening)),
  )
  let at = 0
  let acknowledged = 0
  for (;;) {
    const end = Math.min(bytes.length, at + randomInt(50_000, 400_000))
    const headers = chunkHeaders(ci, { session, from: at, to: end, total: bytes.length })
    const answer = await sendChunk(service, kills, headers, bytes.subarray(at, end))
    // Pause, so that most uploads are between two chunks at a kill and can trigger the next one.
    await pause(answer ? randomInt(200) : 100)
    if (!answer || answer.status >= 500) continue
    if (answer.status === 201) {
      const file_uid = answer.body.data.file_uid as string
      return { file_uid, checksum: fields.checksum }
    }
    const { code } = answer.body.error ?? {}
    if (code === 4047) {
      seen.waited++
      await pause(200)
    } else if (answer.status === 202) {
      at = answer.body.data.current_size
      acknowledged = at
    } else {
      assert.deepEqual([answer.status, code], [409, 4044], JSON.stringify(answer.body))
      at = answer.body.data.current_size
      seen.resumed++
      assert.ok(
        at >= acknowledged,
        `${acknowledged} bytes were acknowledged, but only ${at} are stored`,
      )
    }
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of createReadStream(path)) hash.update(block)
  return hash.digest('hex')
}

async function checkChannel({ sql }: Service, game: string, files: number) {
  const moves = await sql`
    select version, file_uid
    from channel_history
    where event = 'upload' and game_uid = ${game}
    order by seq`
  for (const [index, { version }] of moves.entries())
    if (index > 0)
      assert.ok(
        compareBuildVersions(version, moves[index - 1]!.version) > 0,
        `${moves[index - 1]!.version} then ${version}`,
      )
  assert.equal(new Set(moves.map(({ file_uid }) => file_uid)).size, moves.length)
  const [newest] = await sql`
    select version
    from builds
    where game_uid = ${game}
    order by string_to_array(version, '.')::int[] desc
    limit 1`
  assert.equal(moves.at(-1)!.version, newest!.version)
  const entries = await sql`
    select e.file_uid, count(*)::int as entries
    from file_entries e
    join files f on f.uid = e.file_uid
    where f.game_uid = ${game}
    group by 1`
  assert.deepEqual([entries.length, ...new Set(entries.map((row) => row.entries))], [files, 1])
  return moves.length
}

test(`${KILLS} kills during chunks lose no acknowledged byte, and channels move once`, {
  timeout: 3_600_000,
}, async (t) => {
  const service = await start(t)
  const a = builders(service.http, service.data_dir)
  const owner = await a.verifiedDeveloper()
  const games = await Promise.all(Array.from({ length: GAMES }, () => a.listing({ owner })))
  const done: Done[] = []
  const seen = { resumed: 0, waited: 0 }
  const kills = killSwitch(service)
  const uploaders = []
  for (const { uid } of games) {
    const ci = await a.deployer({ uid, owner, vanity_name: '' })
    let made = 0
    for (let nth = 0; nth < UPLOADERS_A_GAME; nth++)
      uploaders.push(
        (async () => {
          while (kills.total() < KILLS) {
            const version = `1.${++made}`
            const uploaded = await uploadThrough({ service, kills, ci, version, seen })
            done.push({ game: uid, ...uploaded })
          }
        })(),
      )
  }
  const uploading = Promise.all(uploaders)
  for (let kill = 0; kill < KILLS; kill++) {
    kills.arm()
    await Promise.race([
      uploading,
      eventually('the kill', () => kills.total() > kill && service.child.isUp(), 120),
    ])
  }
  await uploading
  let moves = 0
  for (const { game, file_uid, checksum } of done) {
    const state = await eventually(
      'the scan',
      async () =>
        (
          await service.sql`select scan from files where uid = ${file_uid} and scan <> 'scanning'`
        )[0]?.scan,
      120,
    )
    assert.equal(state, 'clean')
    assert.equal(
      await hashOf(join(service.data_dir, `objects/builds/${game}/${file_uid}.zip`)),
      checksum,
    )
  }
  for (const { uid } of games)
    moves += await checkChannel(service, uid, done.filter(({ game }) => game === uid).length)
  const { bytes, answer } = kills.counts
  t.diagnostic(
    `${bytes + answer} kills of the server, ${bytes} during the bytes of a chunk ` +
      `and ${answer} between its last byte and the response: ` +
      `${done.length} complete files, ${seen.resumed} resumed, ` +
      `${seen.waited} waits for the lease of a killed chunk, ` +
      `${moves} moves of ${GAMES} channels`,
  )
})
