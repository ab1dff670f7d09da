import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { codeBlocks } from '../docs/code-blocks.ts'
import { admin } from '../support/admin-run.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'
import { builders, must, PASSWORD } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { copyPrepared, startIn } from './prepared-folder.ts'

/** The commands of the page, in its order: back up, verify, restore, check. */
const commands = codeBlocks('docs/backup.md', 'sh')
  .filter(({ mark }) => mark === 'run by test/system/restore.test.ts')
  .map(({ body }) => body.trim())

/** Each use hashes a password, which would take the machine from the backup. */
const USE_PAUSE_MS = 50

type Settings = Record<string, string | undefined>

test('everything acknowledged before a backup is there after a restore', async (t) => {
  assert.equal(commands.length, 4)
  const folder = temporaryFolder(t)
  const DATA_DIR = join(folder, 'data')
  // The embedded database: no DATABASE_URL.
  const settings = { DATA_DIR, DATABASE_URL: '', PORT: await freePort(), REQUIRE_MFA: 'off' }
  const env: Settings = { ...settings, BACKUP_PASSPHRASE: 'a passphrase' }
  const run = async (command: string) => {
    const [npm, verb, name, dashes, ...args] = command.split(' ')
    assert.deepEqual([npm, verb, name, dashes], ['npm', 'run', 'admin', '--'])
    const target = join(folder, 'backup')
    const result = await admin(
      env,
      ...args.map((arg) => arg.replace('/mnt/backup/slipway', target)),
    )
    assert.equal(result.code, 0, `${command}: ${result.stderr}${result.stdout}`)
    return result
  }
  await copyPrepared(DATA_DIR)
  const live = childService(t, settings)
  const http = client(await live.start())
  const a = builders(http, DATA_DIR)
  const listing = await a.listing({ name: 'Kept Safe' })
  await a.images(listing)
  const { file_uid } = await a.cleanBuild(listing)

  // The service stays in use during the backup.
  const ledger: { username: string }[] = []
  let busy = true
  const using = (async () => {
    while (busy) {
      const { username } = await a.user()
      const named = { name: `Kept by ${username}` }
      must(await http.patch(`/api/v1/private/games/${listing.uid}`, named, listing.owner))
      ledger.push({ username })
      await pause(USE_PAUSE_MS)
    }
  })()
  await eventually('some use', () => ledger.length > 2)
  const acknowledged = [...ledger]
  const [backUp, verify, restore, check] = commands as [string, string, string, string]
  await run(backUp)
  busy = false
  await using
  assert.ok(ledger.length > acknowledged.length, 'nothing happened during the backup')
  await live.kill()
  await run(verify)
  rmSync(DATA_DIR, { recursive: true })

  await run(restore)
  const restored = await startIn(DATA_DIR, settings)
  cleanup(t, () => restored.stop())
  const again = client(restored.url)
  for (const { username } of acknowledged)
    must(await again.post('/api/v1/private/account/login', { login: username, password: PASSWORD }))
  const { name } = must(await again.get(`/api/v1/private/games/${listing.uid}`, listing.owner))
  const writers = ledger.slice(acknowledged.length - 1).map(({ username }) => `Kept by ${username}`)
  assert.ok(writers.includes(name), `an acknowledged change is lost: ${name}`)
  const { url } = must(await again.get(`/api/v1/private/downloads/${file_uid}`, listing.owner))
  assert.equal((await again.get(url)).status, 200)
  const { stdout } = await run(check)
  assert.match(stdout, /\n0 missing, 0 orphans \(0 bytes\), 0 unknown$/)
})
