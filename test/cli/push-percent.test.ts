import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { makePublic, must } from '../support/builders.ts'
import { startUploaderApp, tree } from './slipway.ts'

async function startPushing(t: TestContext) {
  const app = await startUploaderApp(t)
  await makePublic(app.sql, app.game.uid)
  const folder = tree(t, { play: '#!/bin/sh\n', 'data.pak': randomBytes(2 * MIB) })
  const push = (version: string, ...more: string[]) =>
    app.run(['push', folder, '--version', version, '--os', 'linux', '--wait', '--json', ...more])
  const released = async () => {
    const { channels } = must(await app.get('/api/v1/tool/info', app.ci))
    const [{ version, staged }] = channels[0].heads
    return [version, staged?.version, staged?.percent]
  }
  return { ...app, folder, push, released }
}

test('push --percent stages a build, raises its part and releases it to all', async (t) => {
  const { push, released, folder } = await startPushing(t)
  const alone = await push('1.0', '--percent', '10')
  assert.equal(alone.code, 1, alone.stderr)
  assert.match(alone.json.error, /stable has no build for linux\/x86_64/)
  assert.equal((await push('1.0')).code, 0)
  writeFileSync(join(folder, 'play'), '#!/bin/sh\necho 2\n')
  const staged = await push('2.0', '--percent', '10')
  assert.equal(staged.code, 0, staged.stderr)
  assert.deepEqual(await released(), ['1.0', '2.0', 10])
  const [build] = staged.json.builds
  assert.deepEqual([build.percent, build.scan], [10, 'clean'])
  assert.ok(build.sent_bytes < MIB, 'only what changed was sent')
  assert.match(staged.stderr, /^10 % of the devices get it from stable once it is clean$/m)
  assert.match(staged.stderr, /^the scan is clean; 10 % of the devices get it from stable$/m)
  const raised = await push('2.0', '--percent', '50')
  assert.equal(raised.code, 0, raised.stderr)
  assert.deepEqual(await released(), ['1.0', '2.0', 50])
  // A push that says nothing of devices changes nothing of a zip that the store has.
  assert.match((await push('2.0')).stderr, /50 % of the devices get it from stable/)
  assert.deepEqual(await released(), ['1.0', '2.0', 50])
  const whole = await push('2.0', '--percent', '100', '--whole')
  assert.equal(whole.code, 0, whole.stderr)
  assert.deepEqual(await released(), ['2.0', undefined, undefined])
})

test('push --percent refuses other numbers before it sends anything', async (t) => {
  const { run, folder } = await startPushing(t)
  for (const percent of ['0', '101', '1.5', '10%', 'all']) {
    const args = ['push', folder, '--version', '1.0', '--os', 'linux', '--percent', percent]
    const { code, stderr } = await run(args, { env: { SVC_API_URL: 'http://127.0.0.1:9/api/v1' } })
    assert.equal(code, 1, percent)
    assert.match(stderr, /--percent: ".*" is not a whole number from 1 to 100/)
  }
})

test('push --percent sends nothing to a store that would release to all', async (t) => {
  const { push, released, url, env, run, folder } = await startPushing(t)
  assert.equal((await push('1.0')).code, 0)
  // A store of an earlier version: it says nothing of staged builds, and ignores the field.
  const paths: string[] = []
  const knows = { staged: false }
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    const path = request.url!
    paths.push(path)
    const body = Buffer.concat(chunks as Buffer[])
    const answer = await fetch(`${url}${path}`, {
      method: request.method!,
      headers: request.headers as Record<string, string>,
      ...(body.length ? { body: new Uint8Array(body) } : {}),
    })
    let text = await answer.text()
    if (path.endsWith('/tool/info') && !knows.staged) text = text.replaceAll('"staged"', '"other"')
    if (path.endsWith('/sessions')) text = text.replace(/,"percent":\d+/, '')
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const old_store = { ...env, SVC_API_URL: `http://127.0.0.1:${port}/api/v1` }
  const args = ['push', folder, '--version', '2.0', '--os', 'linux', '--percent', '10', '--whole']
  for (const staged of [false, true]) {
    knows.staged = staged
    const { code, stderr } = await run(args, { env: old_store })
    assert.equal(code, 2, stderr)
    assert.match(stderr, /the store cannot release a build to a part of the devices/)
  }
  assert.ok(!paths.some((path) => path.endsWith('/upload/files')), 'bytes were sent')
  assert.deepEqual(await released(), ['1.0', undefined, undefined])
})
