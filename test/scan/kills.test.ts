import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { compareBuildVersions } from '../../src/builds/channels/build-order.ts'
import type { Sql } from '../../src/core/database/sql.ts'
import type { Environment } from '../../src/core/runtime/config.ts'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { childService } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { loopCount } from '../support/loop-count.ts'
import { upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'

const KILLS = loopCount({ short: 2, full: 200 })
const WORKERS = 2
const THREAT = 'this file is a threat'

/** What the scanner does when the worker is killed. */
const moments = ['receiving', 'scanning', 'replied'] as const
type Moment = (typeof moments)[number]

/** The scanner of one worker. It reports the moments of a scan, and records clean verdicts. */
async function startScanner(t: TestContext, reported_clean: Set<string>) {
  const state = { onMoment: (_: Moment) => {} }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let received = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      if (bytes.includes('PING')) return void socket.end('PONG\0')
      received = Buffer.concat([received, bytes])
      state.onMoment('receiving')
      // A stream ends with a length of zero.
      if (received.subarray(-4).equals(Buffer.alloc(4))) void answer(socket, received)
    })
  })
  async function answer(socket: Socket, received: Buffer) {
    state.onMoment('scanning')
    await pause(randomInt(30))
    const infected = received.includes(THREAT)
    const name = /file [\d.]+ of \w+/.exec(received.toString('latin1'))![0]
    if (!infected) reported_clean.add(name)
    socket.write(infected ? '1: stream: Test.Threat FOUND\0' : '1: stream: OK\0')
    state.onMoment('replied')
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => server.close())
  return { url: `tcp://127.0.0.1:${(server.address() as { port: number }).port}`, state }
}

async function startWorker(t: TestContext, settings: Environment, reported_clean: Set<string>) {
  const { url: CLAMD_URL, state } = await startScanner(t, reported_clean)
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

async function startKillTest(t: TestContext) {
  const app = await startApp(t, { SLIPWAY_ROLES: 'api,upload,web' })
  const reported_clean = new Set<string>()
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => startWorker(t, app.settings, reported_clean)),
  )
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  return { ...app, reported_clean, workers, game, ci: await app.a.deployer(game) }
}
type KillTest = Awaited<ReturnType<typeof startKillTest>>
type UploadedFile = {
  uid: string
  name: string
  infected: boolean
  channel: string
  version: string
}

/** Uploads a file and repeats its job up to three times, like a queue that delivers twice. */
async function uploadFile(
  { post, call, ci, core, sql }: KillTest,
  nth: number,
): Promise<UploadedFile> {
  // Every third version is older than the ones before it.
  const version = `1.${nth % 3 === 0 ? nth : nth + 3}.${nth}`
  const channel = ['stable', 'beta'][nth % 2]!
  const infected = nth % 5 === 4
  const name = `file ${version} of ${channel}`
  const { build_id } = must(
    await post('/api/v1/tool/upload/build', { version, channel, os: 'linux', arch: 'x86_64' }, ci),
  )
  const bytes = zip([
    { name: 'game', body: `${name} ${infected ? THREAT : ''}${'x'.repeat(200_000)}`, method: 0 },
  ])
  const { file_uid: uid } = must(
    await call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci)),
  )
  for (let more = randomInt(4); more > 0; more--)
    await core.jobs.send(sql, 'scan.file', { file_uid: uid })
  // The hourly upload limit is not tested here.
  const [file] = await sql`select game_uid from files where uid = ${uid}`
  await core.limiter.give('game uploads', file!.game_uid)
  return { uid, name, infected, channel, version }
}

/** Checks that only files reported clean can be downloaded. Returns how many are unscanned. */
async function checkDownloads({ get, game, reported_clean }: KillTest, uploads: UploadedFile[]) {
  let unscanned = 0
  for (const { uid, name, infected } of uploads) {
    const { status, body } = await get(`/api/v1/private/downloads/${uid}`, game.owner)
    if (status === 200)
      assert.ok(!infected && reported_clean.has(name), `${name} can be downloaded`)
    else
      assert.ok(
        (status === 409 && body.error.code === 4099) || (status === 404 && infected),
        `${status} ${JSON.stringify(body)}`,
      )
    if (status === 409) unscanned++
  }
  return unscanned
}

/** Kills a worker at a random moment of one of its scans, and restarts it. */
async function killOnce(sql: Sql, { process, state }: Worker): Promise<Moment> {
  const moment = moments[randomInt(moments.length)]!
  const reached = Promise.withResolvers<void>()
  let remaining = randomInt(1, 4)
  state.onMoment = (current) => {
    if (current === moment && --remaining === 0) reached.resolve()
  }
  await reached.promise
  if (moment === 'replied') await pause(randomInt(15))
  await process.kill()
  // These kills are not the fault of a file, which is given up after three.
  await sql`
    update pgboss.job
    set output = null
    where name = 'scan.file' and state = 'retry'`
  await process.start()
  return moment
}

test(`survives ${KILLS} kills of workers: no file opens unscanned, no channel goes back`, {
  timeout: 3_600_000,
}, async (t) => {
  const app = await startKillTest(t)
  const { sql, workers } = app
  const uploads: UploadedFile[] = []
  const kills = { receiving: 0, scanning: 0, replied: 0 }
  let remaining = KILLS
  let killing = true
  const killer = Promise.all(
    workers.map(async (worker) => {
      while (remaining-- > 0) kills[await killOnce(sql, worker)]++
      worker.state.onMoment = () => {}
    }),
  ).finally(() => {
    killing = false
  })
  while (killing) {
    const unscanned = await checkDownloads(app, uploads.slice(-20))
    if (unscanned < 6) uploads.push(await uploadFile(app, uploads.length))
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
  await checkDownloads(app, uploads)
  const files = new Map(
    (await sql`select uid, scan from files`).map(({ uid, scan }) => [uid, scan]),
  )
  for (const { uid, infected } of uploads)
    assert.equal(files.get(uid), infected ? 'infected' : 'clean')
  const settled = await sql`
    select file_uid, count(*)::int as times
    from scan_history
    where state <> 'scanning'
    group by 1`
  assert.deepEqual(
    [settled.length, ...new Set(settled.map(({ times }) => times))],
    [uploads.length, 1],
  )
  const entries = await sql`select file_uid, count(*)::int as times from file_entries group by 1`
  assert.ok(entries.every(({ times }) => times === 1))
  const moves = await sql`
    select channel, version, file_uid
    from channel_history
    where event = 'upload'
    order by seq`
  assert.equal(
    new Set(moves.map(({ file_uid }) => file_uid)).size,
    moves.length,
    'a file moved its channel twice',
  )
  for (const [channel, channelMoves] of Map.groupBy(moves, (move) => move.channel as string)) {
    for (const [index, { version }] of channelMoves.entries())
      if (index > 0)
        assert.ok(
          compareBuildVersions(version, channelMoves[index - 1]!.version) > 0,
          `${channelMoves[index - 1]!.version} then ${version}`,
        )
    const clean = uploads
      .filter((file) => file.channel === channel && !file.infected)
      .map(({ version }) => version)
    assert.equal(channelMoves.at(-1)!.version, clean.sort(compareBuildVersions).at(-1))
  }
  const [jobs] = await sql`
    select count(*)::int as deliveries, sum(retry_count)::int as retries
    from pgboss.job
    where name = 'scan.file'`
  t.diagnostic(
    `${KILLS} kills (${kills.receiving} while receiving, ${kills.scanning} while scanning, ` +
      `${kills.replied} after the reply), ${uploads.length} files, ` +
      `${jobs!.deliveries} deliveries, ${jobs!.retries} retries, ${moves.length} moves`,
  )
})

test('a file that ends its worker three times is an error with a reason', async (t) => {
  const app = await startApp(t, { SLIPWAY_ROLES: 'api,upload,web' })
  const { process: worker, state } = await startWorker(t, app.settings, new Set())
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const ci = await app.a.deployer(game)
  let kills = 0
  state.onMoment = (moment) => {
    if (moment !== 'scanning') return
    kills++
    void worker.kill().then(() => worker.start())
  }
  const { build_id } = must(await app.post('/api/v1/tool/upload/build', { version: '1' }, ci))
  const bytes = zip([{ name: 'game', body: 'file 1 of stable' }])
  const { file_uid } = must(
    await app.call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci)),
  )
  const [scanned] = await eventually(
    'an end of the scans',
    async () => {
      const rows = await app.sql`
        select state, detail
        from scan_history
        where file_uid = ${file_uid} and state <> 'scanning'`
      return rows.length > 0 && rows
    },
    120,
  )
  assert.equal(scanned!.state, 'error')
  assert.match(JSON.stringify(scanned!.detail), /ended the scanner 3 times/)
  assert.equal(kills, 3)
})
