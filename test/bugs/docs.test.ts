import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { programsOf } from '../docs/code-blocks.ts'
import { temporaryFolder } from '../support/app.ts'
import { picture } from '../support/images.ts'
import { report, startBugApp } from './fixtures.ts'
import { startReceiver } from './receivers.ts'

/** The example programs of the documentation, as a reader copies them. */
function snippet(language: string): string {
  const [text] = programsOf('docs/bug-reporter.md', language)
  assert.ok(text, `the page has no program in ${language}`)
  return text
}

const programs = {
  js: {
    file: 'verify.mjs',
    run: (path: string) => [process.execPath, path],
    more: `
import { readFileSync } from 'node:fs'
process.stdout.write(verifyBug(readFileSync(0, 'utf8'), process.env.KEY)?.message ?? 'refused')`,
  },
  python: {
    file: 'verify.py',
    run: (path: string) => ['python3', path],
    more: `
import os, sys
report = verify_bug(sys.stdin.buffer.read(), os.environ['KEY'])
sys.stdout.buffer.write(report['message'].encode() if report else b'refused')`,
  },
}

test('the documented programs verify a delivery and reject a changed or foreign one', async (t) => {
  const { buggyGame, ticket, settled } = await startBugApp(t)
  const receiver = await startReceiver(t)
  const [game, other] = [await buggyGame({ webhook_urls: [receiver.url] }), await buggyGame()]
  const message =
    'Snow ☃ "quoted"\n,"signature":"0000000000000000000000000000000000000000"} \u2028 𝄞'
  await ticket(game, report({ message }))
  await settled(game)
  const { body } = receiver.received[0]!
  const folder = temporaryFolder(t)
  for (const [language, { file, run, more }] of Object.entries(programs)) {
    const path = join(folder, file)
    writeFileSync(path, snippet(language) + more)
    const runReceiver = (input: string, KEY: string) => {
      const [command, ...args] = run(path)
      return execFileSync(command!, args, { input, env: { ...process.env, KEY }, encoding: 'utf8' })
    }
    assert.equal(runReceiver(body, game.signing_key), message, language)
    assert.equal(runReceiver(body, other.signing_key), 'refused')
    assert.equal(runReceiver(body.replace('Snow', 'Rain'), game.signing_key), 'refused')
    assert.equal(runReceiver(`${body} `, game.signing_key), 'refused')
    assert.equal(runReceiver('{}', game.signing_key), 'refused')
  }
})

test('the documented command files a report with a log and a screenshot', async (t) => {
  const { buggyGame, player, tokenOf, readTicket, url } = await startBugApp(t)
  const [game, folder] = [await buggyGame(), temporaryFolder(t)]
  writeFileSync(join(folder, 'game.log'), 'the log')
  writeFileSync(join(folder, 'shot.png'), await picture(64, 48))
  const env = {
    ...process.env,
    BASE_URL: url,
    GAME_UID: game.uid,
    TOKEN: await tokenOf(game.uid, await player()),
  }
  const { stdout } = await promisify(execFile)('sh', ['-c', snippet('sh')], { cwd: folder, env })
  const ticket = await readTicket(game, JSON.parse(stdout).data.bug_uid)
  assert.deepEqual(
    [ticket.message, ticket.log, ticket.client_version, ticket.has_screenshot],
    ['The door in level 2 does not open', 'the log', '1.2.0', true],
  )
})
