import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { form, upload } from './forms.ts'
import { sha256, zip } from './zips.ts'

const MIB = 1024 * 1024

test('a full disk is reported, loses no acknowledged data, and recovers', async (t) => {
  const app = await startApp(t)
  const uploads = join(app.data_dir, 'uploads')
  mkdirSync(uploads)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', uploads]).status !== 0)
    return t.skip('needs the right to mount')
  cleanup(t, () => spawnSync('umount', ['-l', uploads]))
  const ci = await app.a.deployer(await app.a.listing({ owner: await app.a.verifiedDeveloper() }))
  const { build_id } = must(await app.post('/api/v1/tool/upload/build', { version: '1' }, ci))
  const bytes = zip([{ name: 'a', body: randomBytes(5 * MIB), method: 0 }])
  const fields = new URLSearchParams({
    filename: 'a.zip',
    total_size: String(bytes.length),
    checksum: sha256(bytes),
    build_id,
  })
  const opening = {
    raw: String(fields),
    headers: { ...ci.headers, 'content-type': 'application/x-www-form-urlencoded' },
  }
  const { session_id } = must(await app.call('POST', '/api/v1/tool/upload/sessions', opening))
  const chunk = (from: number, to: number) => {
    const headers = {
      ...ci.headers,
      'x-upload-session-id': session_id,
      'content-range': `bytes ${from}-${to - 1}/${bytes.length}`,
    }
    return app.call(
      'POST',
      '/api/v1/tool/upload/files',
      form([{ name: 'file', filename: 'x', bytes: bytes.subarray(from, to) }], { headers }),
    )
  }
  must(await chunk(0, 3 * MIB))
  writeFileSync(join(uploads, 'ballast'), randomBytes(4 * MIB + 500_000))
  const full = await chunk(3 * MIB, bytes.length)
  assert.deepEqual([...refused(full), full.body.error.data.current_size], [409, 4044, 3 * MIB])
  assert.deepEqual(
    refused(await app.call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci))),
    [503, 5031],
  )
  rmSync(join(uploads, 'ballast'))
  const { file_uid } = must(await chunk(3 * MIB, bytes.length))
  await eventually(
    'the scan',
    async () =>
      (await app.sql`select from files where uid = ${file_uid} and scan = 'clean'`).length === 1,
  )
})
