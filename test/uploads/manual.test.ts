import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { programsOf } from '../docs/code-blocks.ts'
import { startApp, temporaryFolder } from '../support/app.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import { EICAR, zip } from './zips.ts'

const commands = programsOf('docs/uploading.md', 'sh').map((block) =>
  // Use small chunks, so that the test file needs several.
  block.replace('chunk=$((16 * 1024 * 1024))', 'chunk=100000'),
)
const [settings, register, single, chunks, staged, scan, withdraw, restore] = commands as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]
const checksum = "checksum=$(sha256sum game.zip | cut -d' ' -f1)"

const sharedApp = sharedInFile(startApp)

/** A listing with its deploy key, and a folder with a game in which commands run. */
async function start(t: TestContext, body: string | Buffer = randomBytes(300_000)) {
  const app = await sharedApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { headers } = await app.a.deployer(listing)
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'game.zip'), zip([{ name: 'game', body, method: 0 }]))
  const env = {
    ...process.env,
    URL: app.url,
    ACCESS_TOKEN: headers['x-access-token'],
    SECRET_KEY: headers['x-secret-key'],
  }
  const run = async (...blocks: string[]) => {
    const shell = spawn('bash', ['-c', ['set -eu', ...blocks].join('\n')], { cwd: folder, env })
    const [output, errors, [code]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'exit'),
    ])
    return { output, errors, code }
  }
  return { ...app, listing, folder, run }
}

test('the commands of the manual upload a build in one request and in chunks', async (t) => {
  if (!needs(t, 'curl')) return
  const { run, sql, folder, listing } = await start(t)
  assert.equal(commands.length, 8)
  // The second upload is another zip, because a build stores the same content only once.
  const replace = `mv other.zip game.zip; ${checksum}`
  writeFileSync(join(folder, 'other.zip'), zip([{ name: 'game', body: randomBytes(300_000) }]))
  const { output, errors, code } = await run(settings, register, single, replace, chunks, scan)
  assert.deepEqual([code, errors], [0, ''])
  assert.match(output, /registered [0-9a-f-]{36}\n.*"file_uid".*uploaded [0-9a-f-]{36}\nclean\n$/s)
  const withdrawn = await run(settings, register, withdraw, restore)
  assert.deepEqual([withdrawn.code, withdrawn.errors], [0, ''])
  assert.match(withdrawn.output, /"reason":"It deletes saved games".*"withdrawn":null/s)
  const files = await sql`
    select channel, scan from files where game_uid = ${listing.uid}`
  assert.equal(files.length, 2)
  assert.ok(files.every(({ channel }) => channel === 'beta'))
  const sessions = await sql`
    select completed_at is not null as done
    from upload_sessions
    where game_uid = ${listing.uid}`
  assert.deepEqual(
    sessions.map(({ done }) => done),
    [true],
  )
})

test('the commands of the manual release a build to a part of the devices', async (t) => {
  if (!needs(t, 'curl')) return
  const { run } = await start(t)
  const first = await run(settings, register, single, scan)
  assert.deepEqual([first.code, first.errors], [0, ''])
  const next = register.replace('1.4.0', '1.5.0')
  const size = 'size=$(stat -c %s game.zip)'
  const { output, errors, code } = await run(settings, next, checksum, size, staged)
  assert.deepEqual([code, errors], [0, ''])
  assert.match(output, /"session_id":"[0-9a-f-]{36}".*"percent":10/)
})

/** Records pauses instead of waiting, and answers chunks with the lines of a file first. */
const stubs = `
sleep() { echo "slept $1"; }
curl() {
  case "$*" in
    *X-Upload-Session-ID*)
      if [ -s failures ]; then head -n 1 failures; sed -i 1d failures; return 0; fi ;;
  esac
  command curl "$@"
}`

test('the chunk loop of the manual pauses after failures and continues', async (t) => {
  if (!needs(t, 'curl')) return
  const { run, folder } = await start(t)
  const refusal = (code: number) => JSON.stringify({ success: false, error: { code } })
  const failures = ['<h1>Bad gateway</h1>', refusal(4047), refusal(4291)]
  writeFileSync(join(folder, 'failures'), `${failures.join('\n')}\n`)
  const { output, errors, code } = await run(settings, register, stubs, checksum, chunks)
  assert.deepEqual([code, errors], [0, ''])
  assert.match(output, /\nslept 1\nslept 2\nslept 3\nuploaded [0-9a-f-]{36}\n$/)
})

test('the chunk loop of the manual ends when nothing can be stored', async (t) => {
  if (!needs(t, 'curl')) return
  const { run, folder } = await start(t)
  const wrong = `checksum=${'0'.repeat(64)}`
  const refused = await run(settings, register, stubs, wrong, chunks)
  assert.equal(refused.code, 1)
  assert.match(refused.errors, /^refused: .*"code":4046/)
  assert.doesNotMatch(refused.output, /slept|uploaded/)
  const unopened = await run(settings, register, stubs, 'checksum=x', chunks)
  assert.deepEqual([unopened.code, unopened.errors], [1, 'no session was opened\n'])
  writeFileSync(join(folder, 'failures'), 'no answer\n'.repeat(10))
  const failing = await run(settings, register, stubs, checksum, chunks)
  assert.deepEqual([failing.code, failing.errors], [1, 'gave up: no answer\n'])
  assert.equal(failing.output.match(/slept/g)!.length, 9)
})

test('waiting for the scan as in the manual ends when the file is rejected', async (t) => {
  if (!needs(t, 'curl')) return
  const { run } = await start(t, EICAR)
  const { output, code } = await run(settings, register, single, scan)
  assert.match(output, /\ninfected\n$/)
  assert.equal(code, 1)
})
