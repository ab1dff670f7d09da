import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { signBody } from '../../src/bugs/deliveries/signing.ts'
import { programsOf } from '../docs/code-blocks.ts'
import { temporaryFolder } from '../support/app.ts'
import { freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { picture } from '../support/images.ts'
import { report, startBugApp } from './fixtures.ts'
import { startReceiver } from './receivers.ts'

const root = join(import.meta.dirname, '../..')

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

test('the documented receiver accepts a webhook and refuses a changed, foreign or old one', async (t) => {
  const { buggyGame, ticket, settled } = await startBugApp(t)
  const recorder = await startReceiver(t)
  const game = await buggyGame({ webhook_urls: [recorder.url] })
  await ticket(game)
  await settled(game)
  const { body, headers } = recorder.received[0]!
  const signature = String(headers['x-delivery-signature'])

  const [, program] = programsOf('docs/bug-reporter.md', 'js')
  const folder = temporaryFolder(t)
  copyFileSync(join(root, 'sdk/verify/webhook.js'), join(folder, 'webhook.js'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'receiver.js'), program!)
  const PORT = await freePort()
  const receiver = spawn(process.execPath, [join(folder, 'receiver.js')], {
    env: { ...process.env, PORT, SIGNING_KEY: game.signing_key },
  })
  cleanup(t, () => receiver.kill())
  await once(receiver.stdout, 'data')
  const send = async (signature: string, text = body) => {
    const headers = { 'x-delivery-signature': signature }
    return (await fetch(`http://127.0.0.1:${PORT}`, { method: 'POST', headers, body: text })).status
  }
  assert.equal(await send(signature), 204)
  assert.equal(await send(signature, body.replace('bug', 'bag')), 401)
  assert.equal(await send(''), 401)
  const old = new Date(Date.now() - 301_000)
  assert.equal(await send(signBody(game.signing_key, body, old)), 401)
  assert.equal(await send(signBody('another key', body, new Date())), 401)

  const [, python] = programsOf('docs/bug-reporter.md', 'python')
  const path = join(folder, 'receiver.py')
  writeFileSync(
    path,
    `${python}
import os, sys
print(verify_webhook(sys.stdin.buffer.read(), os.environ['HEADER'], os.environ['KEY']))`,
  )
  const verify = (HEADER: string, input = body) => {
    const env = { ...process.env, HEADER, KEY: game.signing_key }
    return execFileSync('python3', [path], { input, env, encoding: 'utf8' }).trim()
  }
  assert.equal(verify(signature), 'True')
  assert.equal(verify(signature, `${body} `), 'False')
  assert.equal(verify('nonsense'), 'False')
  assert.equal(verify(signBody(game.signing_key, body, old)), 'False')
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
    REPORT_ID: 'report-1',
  }
  const { stdout } = await promisify(execFile)('sh', ['-c', snippet('sh')], { cwd: folder, env })
  const ticket = await readTicket(game, JSON.parse(stdout).data.bug_uid)
  assert.deepEqual(
    [ticket.message, ticket.log, ticket.client_version, ticket.has_screenshot],
    ['The door in level 2 does not open', 'the log', '1.2.0', true],
  )
})
