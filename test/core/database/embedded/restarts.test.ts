import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  keepLogSmall,
  lastLines,
  rotateLog,
} from '../../../../src/core/database/embedded/log-file.ts'
import {
  restartPause,
  startEmbeddedPostgres,
} from '../../../../src/core/database/embedded/postgres.ts'
import { openPool } from '../../../../src/core/database/sql.ts'
import { eventually, temporaryFolder } from '../../../support/app.ts'
import { cleanup } from '../../../support/cleanup.ts'

const MAX_LOG_BYTES = 10 * 1024 ** 2

test('a server that is killed is started again, and each end is reported with its reason', async (t) => {
  const data_dir = temporaryFolder(t)
  const reports: string[] = []
  const server = await startEmbeddedPostgres(data_dir, {}, (message) => reports.push(message))
  cleanup(t, () => server.stop())
  const readPid = () => {
    const lines = readFileSync(join(data_dir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')
    // The last line says whether clients can connect.
    return lines[7]?.trim() === 'ready' ? Number(lines[0]) : undefined
  }
  let killed: number | undefined
  for (const ends of [1, 2]) {
    const pid = await eventually('another server', () => {
      const current = readPid()
      return current !== killed && current
    })
    process.kill(pid, 'SIGKILL')
    killed = pid
    await eventually('a report', () => reports.length === ends)
  }
  const sql = openPool(server.url, 1, 'test')
  cleanup(t, () => sql.end())
  await eventually('the server', () => sql`select 1`.catch(() => undefined))
  const form =
    /^the embedded database ended \(exit code \d+\) and starts again in (.+) s; its last line: Killed$/
  assert.deepEqual(
    reports.map((report) => form.exec(report)?.[1]),
    ['0.2', '0.4'],
    reports.join('\n'),
  )
})

test('a start that takes long says what the server does, and waits for it', async (t) => {
  const data_dir = temporaryFolder(t)
  const first = await startEmbeddedPostgres(data_dir)
  await first.stop()
  const settings = join(data_dir, 'postgres/data/postgresql.auto.conf')
  // Longer than an attempt to connect may take, like a recovery.
  writeFileSync(settings, 'pre_auth_delay = 6')
  const reports: string[] = []
  const starting = startEmbeddedPostgres(data_dir, {}, (message) => reports.push(message))
  cleanup(t, async () => (await starting).stop())
  await eventually('a report', () => reports.length > 0)
  assert.match(reports[0]!, /^waiting for the embedded database: \d{4}-.+ready to accept/)
  writeFileSync(settings, '')
  const pid_file = readFileSync(join(data_dir, 'postgres/data/postmaster.pid'), 'utf8')
  process.kill(Number(pid_file.split('\n')[0]), 'SIGHUP')
  const sql = openPool((await starting).url, 1, 'test')
  cleanup(t, () => sql.end())
  assert.deepEqual([...(await sql`select 1 as one`)], [{ one: 1 }])
})

test('a server that ends again and again is started less often', () => {
  assert.deepEqual([1, 2, 3, 6, 7, 100].map(restartPause), [200, 400, 800, 6400, 10_000, 10_000])
})

test('a log of more than 10 MiB becomes the earlier one, and the server goes on writing', async (t) => {
  const path = join(temporaryFolder(t), 'postgres.log')
  rotateLog(path)
  assert.deepEqual(lastLines(path, 1), [])
  writeFileSync(path, Buffer.alloc(MAX_LOG_BYTES, 'a'))
  rotateLog(path)
  assert.ok(!existsSync(`${path}.1`), 'a log of 10 MiB was rotated')
  const by_server = openSync(path, 'a')
  for (const letter of ['b', 'c']) {
    appendFileSync(path, Buffer.alloc(MAX_LOG_BYTES + 1 - readFileSync(path).length, letter))
    const stop = keepLogSmall(path, 1)
    await eventually('the rotation', () => readFileSync(path).length === 0)
    stop()
    assert.equal(readFileSync(`${path}.1`).length, MAX_LOG_BYTES + 1)
    assert.equal(readFileSync(`${path}.1`).at(-1), letter.charCodeAt(0))
    writeSync(by_server, 'the server\n')
    assert.deepEqual(lastLines(path, 1), ['the server'])
  }
})
