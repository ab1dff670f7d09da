import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { must, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { FILES, fileIsClean, startUploadApp, uploadSessions } from './fixtures.ts'
import { upload } from './forms.ts'
import { zip } from './zips.ts'

test('a full disk is reported, loses no acknowledged data, and recovers', async (t) => {
  const app = await startUploadApp(t)
  const { ci, build_id } = app
  const uploads = join(app.data_dir, 'uploads')
  mkdirSync(uploads)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', uploads]).status !== 0)
    return t.skip('needs the right to mount')
  cleanup(t, () => spawnSync('umount', ['-l', uploads]))
  const bytes = zip([{ name: 'a', body: randomBytes(5 * MIB), method: 0 }])
  const sessions = uploadSessions(app, bytes)
  const session = await sessions.open()
  must(await sessions.chunk(session, 0, 3 * MIB))
  writeFileSync(join(uploads, 'ballast'), randomBytes(4 * MIB + 500_000))
  const full = await sessions.chunk(session, 3 * MIB, bytes.length)
  assert.deepEqual([...refused(full), full.body.error.data.current_size], [409, 4044, 3 * MIB])
  assert.deepEqual(
    refused(await app.call('POST', FILES, upload(bytes, { build_id }, ci))),
    [503, 5031],
  )
  rmSync(join(uploads, 'ballast'))
  must(await sessions.chunk(session, 3 * MIB, bytes.length))
  await fileIsClean(app)
})
