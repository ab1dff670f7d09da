import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { must, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import {
  chunkForm,
  chunkHeaders,
  FILES,
  fileIsClean,
  SESSIONS,
  sessionFields,
  sessionRequest,
  startUploadApp,
} from './fixtures.ts'
import { upload } from './forms.ts'
import { zip } from './zips.ts'

const MIB = 1024 * 1024

test('a full disk is reported, loses no acknowledged data, and recovers', async (t) => {
  const app = await startUploadApp(t)
  const { ci, build_id } = app
  const uploads = join(app.data_dir, 'uploads')
  mkdirSync(uploads)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', uploads]).status !== 0)
    return t.skip('needs the right to mount')
  cleanup(t, () => spawnSync('umount', ['-l', uploads]))
  const bytes = zip([{ name: 'a', body: randomBytes(5 * MIB), method: 0 }])
  const opening = sessionRequest(sessionFields(bytes, build_id), ci)
  const { session_id: session } = must(await app.call('POST', SESSIONS, opening))
  const chunk = (from: number, to: number) => {
    const headers = chunkHeaders(ci, { session, from, to, total: bytes.length })
    return app.call('POST', FILES, chunkForm(bytes.subarray(from, to), headers))
  }
  must(await chunk(0, 3 * MIB))
  writeFileSync(join(uploads, 'ballast'), randomBytes(4 * MIB + 500_000))
  const full = await chunk(3 * MIB, bytes.length)
  assert.deepEqual([...refused(full), full.body.error.data.current_size], [409, 4044, 3 * MIB])
  assert.deepEqual(
    refused(await app.call('POST', FILES, upload(bytes, { build_id }, ci))),
    [503, 5031],
  )
  rmSync(join(uploads, 'ballast'))
  must(await chunk(3 * MIB, bytes.length))
  await fileIsClean(app.sql)
})
