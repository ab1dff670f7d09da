import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'
import { loopCount } from '../../support/loop-count.ts'
import { zip } from '../../uploads/zips.ts'
import { startStore, treeOf } from './fixtures.ts'
import { isFile, startMiddle, type Tamper } from './middle.ts'

const KILLS = loopCount({ short: 12, full: 1000 })
/** So often a rollback is killed, too. */
const ROLLBACK_EVERY = 4

const filesOf = (version: number) => [
  { name: 'game.sh', body: `#!/bin/sh\necho ${version}\n`, method: 8, mode: 0o100755 },
  { name: 'same.pak', body: 'same'.repeat(1000), method: 0, mode: 0o100644 },
  ...Array.from({ length: 40 }, (_, n) => ({
    name: `data/${n}.json`,
    body: `{"level":${n},"version":${version}}`.repeat(100),
    method: 8,
    mode: 0o100644,
  })),
  { name: 'large.pck', body: Buffer.alloc(9_000_000, `${version} `), method: 0, mode: 0o100644 },
]

test(`an update that is killed leaves the old version or the new one, ${KILLS} times`, async (t) => {
  const app = await startStore(t, filesOf(1))
  const installed = await app.install()
  assert.equal(installed.code, 0, installed.stdout)
  const old_tree = treeOf(installed.json.path)
  await app.a.cleanBuild(app.game, { bytes: zip(filesOf(2)), version: '2.0' })
  const current = async () => (await app.run(['list', '--json'])).json.games[0]
  const began = performance.now()
  const updated = await app.run(['update', app.name, '--json'], { own_process: true })
  const update_ms = performance.now() - began
  assert.equal(updated.code, 0, updated.stdout)
  const new_tree = treeOf((await current()).path)
  assert.notDeepEqual(new_tree, old_tree)
  let was_killed = 0

  /** Kills a command at any moment, and returns the version that is there then. */
  const killDuring = async (command: string): Promise<string> => {
    const after_ms = randomInt(Math.ceil(update_ms) + 50)
    let timer: NodeJS.Timeout | undefined
    const result = await app
      .run([command, app.name], {
        onStart(pid) {
          timer = setTimeout(() => {
            try {
              process.kill(pid, 'SIGKILL')
              was_killed++
            } catch {}
          }, after_ms)
        },
      })
      .catch(() => undefined)
    clearTimeout(timer)
    const { version, path } = await current()
    assert.deepEqual(
      treeOf(path),
      version === '2.0' ? new_tree : old_tree,
      `${version} after a kill at ${after_ms} ms of ${command} (${result?.stderr})`,
    )
    return version
  }

  let version = '2.0'
  for (let kill = 0; kill < KILLS; kill++) {
    if (version === '2.0' && kill % ROLLBACK_EVERY === 0) version = await killDuring('rollback')
    if (version === '2.0') await app.run(['rollback', app.name])
    version = await killDuring('update')
  }
  assert.ok(was_killed > 0)
  if (version !== '2.0') {
    const last = await app.run(['update', app.name])
    assert.equal(last.code, 0, last.stderr)
  }
  assert.deepEqual(treeOf((await current()).path), new_tree)
})

test('a download that breaks off is continued where it ended', async (t) => {
  const app = await startStore(t, filesOf(1))
  let cuts = 6
  const middle = await startMiddle(t, app.url, {
    cut: (path) => (isFile(path) && cuts-- > 0 ? 2_000_000 : undefined),
  })
  const result = await app.run(['install', app.name, '--os', 'linux', '--arch', 'x86_64'], {
    env: { SVC_API_URL: middle.url },
  })
  assert.equal(result.code, 0, result.stderr)
  const starts = middle.requests.filter(isFile).map((line) => Number(/bytes=(\d+)/.exec(line)?.[1]))
  assert.ok(starts.length > 4, middle.requests.join('\n'))
  assert.equal(new Set(starts).size, starts.length, 'nothing is read twice')
  assert.equal((await app.run(['verify', app.name])).code, 0)
})

test('a file or manifest that the store did not sign is never installed', async (t) => {
  const app = await startStore(t, filesOf(1))
  const flip = (body: Buffer, at: number) => {
    const changed = Buffer.from(body)
    changed[at] = changed[at]! ^ 1
    return changed
  }
  const replaceIn = (part: string, change: (text: string) => string): Tamper => ({
    body: (path, body) => (path.includes(part) ? Buffer.from(change(String(body))) : body),
  })
  const attacks: Record<string, Tamper> = {
    'a changed file': {
      body: (path, body) => (isFile(path) && body.length > 10_000 ? flip(body, 5000) : body),
    },
    'a manifest of another version': replaceIn('/manifest', (text) =>
      text.replace(/"version":"[^"]+"/, '"version":"9.9"'),
    ),
    'a changed entry': replaceIn('/manifest', (text) =>
      text.replace('"path":"same.pak"', '"path":"sane.pak"'),
    ),
    'an entry twice': replaceIn('/manifest', (text) => text.replace(/\n([^\n]+\n)/, '\n$1$1')),
    'other keys': replaceIn('jwks.json', () => '{"keys":[]}'),
    'no signature': replaceIn('/manifest', (text) =>
      text.replace(/"signature":"[^"]+"/, '"signature":"a..b"'),
    ),
    'no JSON': replaceIn('/manifest', () => '<html>'),
  }
  for (const [name, tamper] of Object.entries(attacks)) {
    const middle = await startMiddle(t, app.url, tamper)
    const result = await app.run(['install', app.name, '--os', 'linux', '--arch', 'x86_64'], {
      env: { SVC_API_URL: middle.url },
    })
    assert.equal(result.code, 5, `${name}: ${result.stderr}`)
    assert.match((await app.run(['list'])).stdout, /No games/, name)
  }
  assert.equal((await app.install()).code, 0, 'what was left does not disturb the next run')
})

test('two programs do not work on one game at the same time', async (t) => {
  const app = await startStore(t, filesOf(1))
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  let onRequest = () => {}
  const waiting = new Promise<void>((done) => {
    onRequest = done
  })
  const server = createServer(async (request, response) => {
    onRequest()
    await held
    const answer = await fetch(`${app.url}${request.url}`)
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await buffer(answer.body as never))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cleanup(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  const slow = app.run(['install', app.name, '--os', 'linux', '--arch', 'x86_64'], {
    env: { SVC_API_URL: `http://127.0.0.1:${port}/api/v1` },
  })
  await Promise.race([waiting, slow])
  // Also under another name of the same folder, which does not exist yet.
  const parent = temporaryFolder(t)
  symlinkSync(app.games, join(parent, 'link'))
  for (const games of [app.games, join(parent, 'link')]) {
    const args = ['install', app.name, '--os', 'linux', '--arch', 'x86_64']
    const second = await app.run(args, { env: { SLIPWAY_GAMES: games } })
    assert.deepEqual([second.code, /another slipway/.test(second.stderr)], [1, true], second.stderr)
  }
  release()
  const first = await slow
  assert.equal(first.code, 0, first.stderr)
  const { games } = (await app.run(['list', '--json'])).json
  const [{ folder }] = games
  const linked = join(parent, 'link', relative(app.games, folder))
  await app.a.cleanBuild(app.game, { bytes: zip(filesOf(2)), version: '2.0' })
  const updated = await app.run(['update', linked])
  assert.equal(updated.code, 0, updated.stderr)
  const listed = (await app.run(['list', '--json'])).json.games
  assert.deepEqual([listed.length, listed[0].folder], [1, folder], 'it is listed once')
  assert.equal((await app.run(['uninstall', linked])).code, 0)
  assert.match((await app.run(['list'])).stdout, /No games/)
})
