import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { compareBuildVersions } from '../../src/builds/channels/build-order.ts'
import type { Environment } from '../../src/core/runtime/config.ts'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { childService, faults } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'

const KILLS = faults(200)
const WORKERS = 2
const BAD = 'this one is a threat'

/** What the scanner is doing when the worker dies: receiving the file, thinking, or just done with it. */
const moments = ['receiving', 'thinking', 'said'] as const
type Moment = (typeof moments)[number]

/** A scanner of one worker's own, that tells when a scan comes to a moment; all of them note which files were called clean. */
async function startScanner(t: TestContext, called_clean: Set<string>) {
  const state = { onMoment: (_: Moment) => {} }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let seen = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      if (bytes.includes('PING')) return void socket.end('PONG\0')
      seen = Buffer.concat([seen, bytes])
      state.onMoment('receiving')
      // The last of a stream is a length of zero.
      if (seen.subarray(-4).equals(Buffer.alloc(4))) void answer(socket, seen)
    })
  })
  async function answer(socket: Socket, seen: Buffer) {
    state.onMoment('thinking')
    await pause(randomInt(30))
    const found = seen.includes(BAD)
    const name = /file [\d.]+ of \w+/.exec(seen.toString('latin1'))![0]
    if (!found) called_clean.add(name)
    socket.write(found ? '1: stream: Test.Threat FOUND\0' : '1: stream: OK\0')
    state.onMoment('said')
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => server.close())
  return { url: `tcp://127.0.0.1:${(server.address() as { port: number }).port}`, state }
}

async function startWorker(t: TestContext, settings: Environment, called_clean: Set<string>) {
  const { url: CLAMD_URL, state } = await startScanner(t, called_clean)
  const process = childService(t, {
    ...settings,
    CLAMD_URL,
    SLIPWAY_ROLES: 'worker',
    LOG_LEVEL: 'fatal',
  })
  await process.start()
  return { process, state }
}
type Worker = Awaited<ReturnType<typeof startWorker>>

async function start(t: TestContext) {
  const app = await startApp(t, { SLIPWAY_ROLES: 'api,upload,web' })
  const called_clean = new Set<string>()
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => startWorker(t, app.settings, called_clean)),
  )
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  return { ...app, called_clean, workers, game, ci: await app.a.deployer(game) }
}
type Stage = Awaited<ReturnType<typeof start>>
type Sent = { uid: string; name: string; bad: boolean; channel: string; version: string }

/** A file whose scan is asked for up to four times over, as a queue that delivers twice would. */
async function send({ post, call, ci, core, sql }: Stage, nth: number): Promise<Sent> {
  // Every third is older than those before it.
  const version = `1.${nth % 3 === 0 ? nth : nth + 3}.${nth}`
  const channel = ['stable', 'beta'][nth % 2]!
  const [bad, name] = [nth % 5 === 4, `file ${version} of ${channel}`]
  const { build_id } = must(
    await post('/api/v1/tool/upload/build', { version, channel, os: 'linux', arch: 'x86_64' }, ci),
  )
  const bytes = zip([
    { name: 'game', body: `${name} ${bad ? BAD : ''}${'x'.repeat(200_000)}`, method: 0 },
  ])
  const { file_uid: uid } = must(
    await call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci)),
  )
  for (let more = randomInt(4); more > 0; more--)
    await core.jobs.send(sql, 'scan.file', { file_uid: uid })
  // The hourly limit is not what is tested here.
  await core.limiter.give(
    'game uploads',
    (await sql`select game_uid from files where uid = ${uid}`)[0]!.game_uid,
  )
  return { uid, name, bad, channel, version }
}

/** Whatever was killed when: what can be downloaded was called clean. */
async function holdToScanner({ get, game, called_clean }: Stage, sent: Sent[]) {
  let open = 0
  for (const { uid, name, bad } of sent) {
    const { status, body } = await get(`/api/v1/private/downloads/${uid}`, game.owner)
    if (status === 200) assert.ok(!bad && called_clean.has(name), `${name} can be downloaded`)
    else
      assert.ok(
        (status === 409 && body.error.code === 4099) || (status === 404 && bad),
        `${status} ${JSON.stringify(body)}`,
      )
    if (status === 409) open++
  }
  return open
}

/** Kills a worker at a random moment of a scan of its own, and starts it again. */
async function killOnce({ process, state }: Worker): Promise<Moment> {
  const moment = moments[randomInt(moments.length)]!
  const came = Promise.withResolvers<void>()
  let left = randomInt(1, 4)
  state.onMoment = (one) => {
    if (one === moment && --left === 0) came.resolve()
  }
  await came.promise
  if (moment === 'said') await pause(randomInt(15))
  await process.kill()
  await process.start()
  return moment
}

test(`through ${KILLS} kills of workers and scans asked for several times each channel moves once and forward, and nothing opens unscanned`, {
  timeout: 3_600_000,
}, async (t) => {
  const stage = await start(t)
  const { sql, workers } = stage
  const [sent, counted] = [[] as Sent[], { receiving: 0, thinking: 0, said: 0 }]
  let [left, killing] = [KILLS, true]
  const killer = Promise.all(
    workers.map(async (worker) => {
      while (left-- > 0) counted[await killOnce(worker)]++
      worker.state.onMoment = () => {}
    }),
  ).finally(() => {
    killing = false
  })
  while (killing) {
    const open = await holdToScanner(stage, sent.slice(-20))
    if (open < 6) sent.push(await send(stage, sent.length))
    else await Promise.race([killer, pause(50)])
  }
  await killer
  await eventually(
    'every scan',
    async () => (await sql`select from files where scan = 'scanning'`).length === 0,
    300,
  )
  await eventually(
    'every delivery',
    async () =>
      (await sql`select from pgboss.job where name = 'scan.file' and state < 'completed'`)
        .length === 0,
    300,
  )
  await holdToScanner(stage, sent)
  const files = new Map(
    (await sql`select uid, scan from files`).map(({ uid, scan }) => [uid, scan]),
  )
  for (const { uid, bad } of sent) assert.equal(files.get(uid), bad ? 'infected' : 'clean')
  const settled =
    await sql`select file_uid, count(*)::int as times from scan_history where state <> 'scanning' group by 1`
  assert.deepEqual(
    [settled.length, ...new Set(settled.map(({ times }) => times))],
    [sent.length, 1],
  )
  const entries = await sql`select file_uid, count(*)::int as times from file_entries group by 1`
  assert.ok(entries.every(({ times }) => times === 1))
  const moves =
    await sql`select channel, version, file_uid from channel_history where event = 'upload' order by seq`
  assert.equal(
    new Set(moves.map(({ file_uid }) => file_uid)).size,
    moves.length,
    'a file moves its channel once',
  )
  for (const [channel, own] of Map.groupBy(moves, (move) => move.channel as string)) {
    for (const [index, { version }] of own.entries())
      if (index > 0)
        assert.ok(
          compareBuildVersions(version, own[index - 1]!.version) > 0,
          `${own[index - 1]!.version} then ${version}`,
        )
    const good = sent
      .filter((one) => one.channel === channel && !one.bad)
      .map(({ version }) => version)
    assert.equal(own.at(-1)!.version, good.sort(compareBuildVersions).at(-1))
  }
  const [jobs] =
    await sql`select count(*)::int as deliveries, sum(retry_count)::int as again from pgboss.job where name = 'scan.file'`
  t.diagnostic(
    `${KILLS} kills of workers (${counted.receiving} while the scanner received, ${counted.thinking} while it thought, ${counted.said} after it spoke), ` +
      `${sent.length} files, ${jobs!.deliveries} deliveries, ${jobs!.again} taken up again, ${moves.length} moves`,
  )
})
