import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startApp, temporaryFolder } from '../support/app.ts'
import { needs } from '../support/system-packages.ts'
import { zip } from './zips.ts'

test('the commands of the manual upload a build in one request and in chunks', async (t) => {
  if (!needs(t, 'curl')) return
  const app = await startApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { headers } = await app.a.deployer(listing)
  const folder = temporaryFolder(t)
  writeFileSync(
    join(folder, 'game.zip'),
    zip([{ name: 'game', body: randomBytes(300_000), method: 0 }]),
  )
  const manual = readFileSync(join(import.meta.dirname, '../../docs/uploading.md'), 'utf8')
  const commands = [...manual.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block)
  assert.equal(commands.length, 5)
  // Use small chunks, so that the test file needs several.
  const script = `set -eu\n${commands.join('\n')}`.replace(
    'chunk=$((16 * 1024 * 1024))',
    'chunk=100000',
  )
  const shell = spawn('bash', ['-c', script], {
    cwd: folder,
    env: {
      ...process.env,
      URL: app.url,
      ACCESS_TOKEN: headers['x-access-token'],
      SECRET_KEY: headers['x-secret-key'],
    },
  })
  const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  assert.equal(errors, '')
  assert.match(output, /registered [0-9a-f-]{36}\n.*"file_uid".*uploaded [0-9a-f-]{36}\nclean\n$/s)
  const files = await app.sql`select channel, scan from files`
  assert.equal(files.length, 2)
  assert.ok(files.every(({ channel }) => channel === 'beta'))
  const sessions = await app.sql`select completed_at is not null as done from upload_sessions`
  assert.deepEqual(
    sessions.map(({ done }) => done),
    [true],
  )
})
