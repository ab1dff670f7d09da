import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { compareBuildVersions } from '../../src/builds/channels.ts'
import { open } from '../../src/core/db.ts'
import { type Answer, client, eventually, temporaryFolder } from '../app.ts'
import { builders, must } from '../builders.ts'
import { cleanup } from '../cleanup.ts'
import { freshDatabase } from '../database.ts'
import { form } from './forms.ts'
import { sha256, zip } from './zips.ts'

const root = join(import.meta.dirname, '../..')
const FILES = '/api/v1/tool/upload/files'
const KILLS = Number(process.env.KILLS ?? 10) * 2

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** A service that can be killed and started again at the same address. */
async function killable(t: TestContext) {
  const [DATABASE_URL, DATA_DIR, PORT] = [await freshDatabase(t), temporaryFolder(t), String(await freePort())]
  const env = { ...process.env, DATABASE_URL, DATA_DIR, PORT, METRICS_PORT: 'off', LOG_LEVEL: 'fatal', DATABASE_CONNECTIONS: '4' }
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: child.stdout! })) if (line.startsWith('ready ')) return
    throw new Error('the service did not get ready')
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  cleanup(t, kill)
  const sql = open(DATABASE_URL, 2, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  return { start, kill, sql, data_dir: DATA_DIR, http: client(`http://127.0.0.1:${PORT}`) }
}

type Service = Awaited<ReturnType<typeof killable>>
type CI = { headers: Record<string, string> }

/** Asks until the service answers: between a kill and the next start nobody does. */
async function insist(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer && answer.status < 500) return answer
    await pause(20)
  }
}

/** Uploads as the uploader does, through every kill, and holds the service to each byte it acknowledged. */
async function uploadThrough({ http }: Service, ci: CI, version: string): Promise<{ file_uid: string; checksum: string; resumed: number }> {
  const { build_id } = must(await insist(() => http.post('/api/v1/tool/upload/build', { version, os: 'linux', arch: 'x86_64' }, ci)))
  const bytes = zip([{ name: 'game', body: randomBytes(randomInt(500_000, 3_000_000)), method: 0 }])
  const checksum = sha256(bytes)
  const fields = new URLSearchParams({ filename: 'game.zip', total_size: String(bytes.length), checksum, build_id })
  const opening = { raw: String(fields), headers: { ...ci.headers, 'content-type': 'application/x-www-form-urlencoded' } }
  const { session_id } = must(await insist(() => http.call('POST', '/api/v1/tool/upload/sessions', opening)))
  let [at, acknowledged, resumed] = [0, 0, 0]
  for (;;) {
    const end = Math.min(bytes.length, at + randomInt(5_000, 80_000))
    const headers = { ...ci.headers, 'x-upload-session-id': session_id, 'content-range': `bytes ${at}-${end - 1}/${bytes.length}` }
    const answer = await insist(() =>
      http.call('POST', FILES, form([{ name: 'file', filename: 'x', bytes: bytes.subarray(at, end) }], { headers })),
    )
    if (answer.status === 201) return { file_uid: answer.body.data.file_uid, checksum, resumed }
    const { code } = answer.body.error ?? {}
    if (code === 4047) await pause(100)
    else if (answer.status === 202) [at, acknowledged] = [answer.body.data.current_size, answer.body.data.current_size]
    else {
      assert.deepEqual([answer.status, code], [409, 4044], JSON.stringify(answer.body))
      at = answer.body.data.current_size
      resumed++
      assert.ok(at >= acknowledged, `${acknowledged} bytes were acknowledged, and ${at} are left`)
    }
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of createReadStream(path)) hash.update(block)
  return hash.digest('hex')
}

test(`through ${KILLS} kills no acknowledged byte is lost, and each file moves its channel once and forward`, {
  timeout: 1_800_000,
}, async (t) => {
  const service = await killable(t)
  await service.start()
  const a = builders(service.http, service.data_dir)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const ci = await a.deployer(listing)
  const done: { file_uid: string; checksum: string; resumed: number }[] = []
  let killing = true
  const uploading = (async () => {
    for (let i = 1; killing; i++) {
      done.push(await uploadThrough(service, ci, `1.${i}`))
      // The hourly limits are not what is tested here, and a killed service forgets them anyway.
      await pause(10)
    }
  })()
  for (let i = 0; i < KILLS; i++) {
    await pause(randomInt(20, 1200))
    await service.kill()
    await service.start()
  }
  killing = false
  await uploading
  for (const { file_uid, checksum } of done) {
    const state = await eventually(
      'the scan',
      async () => (await service.sql`select scan from files where uid = ${file_uid} and scan <> 'scanning'`)[0]?.scan,
      120,
    )
    assert.equal(state, 'clean')
    assert.equal(await hashOf(join(service.data_dir, `objects/builds/${listing.uid}/${file_uid}.zip`)), checksum)
  }
  const moves = await service.sql`select version, file_uid from channel_history where event = 'upload' order by seq`
  for (const [index, { version }] of moves.entries())
    if (index > 0) assert.ok(compareBuildVersions(version, moves[index - 1]!.version) > 0, `${moves[index - 1]!.version} then ${version}`)
  assert.equal(new Set(moves.map(({ file_uid }) => file_uid)).size, moves.length)
  assert.equal(moves.at(-1)!.version, `1.${done.length}`)
  const entries = await service.sql`select file_uid, count(*)::int as entries from file_entries group by file_uid`
  assert.deepEqual([entries.length, ...new Set(entries.map((row) => row.entries))], [done.length, 1])
  assert.deepEqual(
    readdirSync(join(service.data_dir, 'uploads')).filter((name) => name.endsWith('.nested')),
    [],
  )
  t.diagnostic(
    `${KILLS} kills, ${done.length} files whole, ${done.reduce((sum, { resumed }) => sum + resumed, 0)} resumes, ${moves.length} moves`,
  )
})
