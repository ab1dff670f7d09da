import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { admin } from '../../support/admin-run.ts'
import { temporaryFolder } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { unreadable } from '../../support/unreadable-files.ts'
import { filesBelow, filledStore, freshSettings, secret } from './fixtures.ts'

const linesOf = (text: string, pattern: RegExp) =>
  text.split('\n').filter((line) => pattern.test(line))

test('a bad sector costs one object: backups, checks, restores and scrubs go on', async (t) => {
  const { settings, file_uid, core } = await filledStore(t)
  const target = temporaryFolder(t)
  const env = { ...settings, ...secret }
  const key = (await storedKeys(core)).find((name) => name.includes(file_uid))!

  const partial = await admin({ ...env, ...unreadable(key) }, 'backup', target)
  assert.equal(partial.code, 3, partial.stderr)
  assert.deepEqual(linesOf(partial.stdout, /^damaged in/), [`damaged in the store: ${key}`])
  assert.equal((await admin(env, 'backup', target)).code, 0)

  const [object] = filesBelow(join(target, 'objects'))
  const bad_object = await admin({ ...env, ...unreadable(object!) }, 'backup', 'verify', target)
  assert.equal(bad_object.code, 3, bad_object.stderr)
  assert.equal(linesOf(bad_object.stdout, /^The object .* is damaged/).length, 1)
  const bad_table = await admin({ ...env, ...unreadable('users.zst') }, 'backup', 'verify', target)
  assert.equal(bad_table.code, 3, bad_table.stderr)
  assert.match(bad_table.stdout, /users\.zst of the backup is damaged/)

  const scrub = ['storage', 'scrub', '--now']
  const scrubbed = await admin({ ...env, ...unreadable(key) }, ...scrub)
  assert.equal(scrubbed.code, 3, scrubbed.stderr)
  assert.match(scrubbed.stdout, /\n1 damaged, 0 repaired$/)
  const repaired = await admin({ ...env, ...unreadable(key), BACKUP_TARGET: target }, ...scrub)
  assert.equal(repaired.code, 0, repaired.stderr)
  assert.match(repaired.stdout, /\n0 damaged, 1 repaired$/)

  const fresh = await freshSettings(t)
  const restored = await admin({ ...fresh, ...unreadable(object!) }, 'restore', target)
  assert.equal(restored.code, 3, restored.stderr)
  assert.equal(linesOf(restored.stdout, /^not in the backup, or damaged/).length, 1)
  assert.match(restored.stdout, /\nbackup \S+ of \S+ is restored\n/)
})
