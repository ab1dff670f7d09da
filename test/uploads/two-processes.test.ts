import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { client } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { childService } from '../support/child.ts'
import { startUploadApp, storedFile, uploadSessions } from './fixtures.ts'
import { sha256, zip } from './zips.ts'

const CHUNKS = 24
const game = zip([{ name: 'bin/game', body: randomBytes(8_000_000), method: 0 }])

/** The bytes that a process has read so far: files, and what it received. */
const bytesRead = (pid: number) =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))![1])

test('chunks that alternate between two processes are read from the disk once', async (t) => {
  if (!existsSync('/proc/self/io')) return t.skip('needs /proc')
  const app = await startUploadApp(t)
  const { open, chunk } = uploadSessions(app, game)
  const children = [1, 2].map(() =>
    childService(t, { ...app.settings, SLIPWAY_ROLES: 'api,upload' }),
  )
  const urls = await Promise.all(children.map((child) => child.start()))
  const calls = urls.map((url) => client(url).call)
  const session = await open()
  const size = Math.ceil(game.length / CHUNKS)
  const totalRead = () => children.reduce((sum, child) => sum + bytesRead(child.pid()), 0)
  const before = totalRead()
  let answer: Awaited<ReturnType<typeof chunk>> | undefined
  for (let i = 0; i < CHUNKS; i++) {
    const end = Math.min(game.length, (i + 1) * size)
    answer = await chunk(session, i * size, end, { call: calls[i % 2]! })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
  }
  const read = totalRead() - before
  const { file_uid, checksum } = must(answer!)
  assert.equal(checksum, sha256(game))
  assert.equal(sha256(await storedFile(app.core.storage, app.listing.uid, file_uid)), sha256(game))
  t.diagnostic(`read ${(read / game.length).toFixed(1)} times the size of the file`)
  // Once as it arrives, and once what the other process received. Reading the beginning again with
  // every chunk would be 13 times the size.
  assert.ok(read < 4 * game.length, `read ${(read / game.length).toFixed(1)} times its size`)
})
