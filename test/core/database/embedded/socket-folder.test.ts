import assert from 'node:assert/strict'
import {
  chownSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedPostgres } from '../../../../src/core/database/embedded/postgres.ts'
import { EmbeddedDatabaseError } from '../../../../src/core/database/embedded/program.ts'
import { sha256 } from '../../../../src/core/security/crypto.ts'
import { temporaryFolder } from '../../../support/app.ts'
import { cleanup } from '../../../support/cleanup.ts'

test('the socket of the embedded database is never put into what another user made', async (t) => {
  const temporary = temporaryFolder(t)
  const { TMPDIR } = process.env
  process.env.TMPDIR = temporary
  cleanup(t, () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  // A path that is too long for a socket, so that the socket is in the folder for temporary files.
  const data_dir = join(temporaryFolder(t), 'a-long-name-of-a-folder-'.repeat(4))
  const home = join(data_dir, 'postgres')
  const socket = join(temporary, `slipway-${sha256(home).toString('hex').slice(0, 16)}`)
  const victim = join(temporary, 'victim')
  mkdirSync(victim)
  const before = statSync(victim)
  const refusedStart = () =>
    assert.rejects(startEmbeddedPostgres(data_dir), (error) => {
      assert.ok(error instanceof EmbeddedDatabaseError)
      assert.match(error.message, /belongs to another user or is not a folder/)
      return true
    })

  symlinkSync(victim, socket)
  await refusedStart()
  const { uid, mode } = statSync(victim)
  assert.deepEqual([uid, mode], [before.uid, before.mode])
  assert.ok(lstatSync(socket).isSymbolicLink())
  rmSync(socket)

  writeFileSync(socket, '')
  await assert.rejects(startEmbeddedPostgres(data_dir))
  rmSync(socket)

  if (process.getuid?.() !== 0) return
  mkdirSync(socket)
  chownSync(socket, 12345, 12345)
  await refusedStart()
  assert.equal(statSync(socket).uid, 12345)
})
