import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { programsOf } from '../docs/code-blocks.ts'
import { client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { needs } from '../support/system-packages.ts'
import { zip } from '../uploads/zips.ts'

const bytes = zip([{ name: 'game', body: 'play'.repeat(50_000), method: 0 }])

/** The documented server block, with the addresses and folders of this test. */
function documentedConfig(port: string, upstream: string, data_dir: string): string {
  const [block] = programsOf('docs/operations.md', 'nginx')
  return block!
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('http://127.0.0.1:8080', upstream)
    .replace('/srv/slipway/.data', data_dir)
}

async function startNginx(t: TestContext, server: string) {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const http = `http { access_log off; ${temp.join(' ')}\n${server} }`
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; worker_processes 1; pid ${folder}/pid;
error_log ${folder}/error.log; events {}
${http}`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  cleanup(t, async () => {
    child.kill('SIGTERM')
    await exited
  })
}

test('behind nginx, nginx sends the file with ranges, names and safe headers', async (t) => {
  if (!needs(t, 'nginx')) return
  const port = await freePort()
  const public_url = `http://127.0.0.1:${port}`
  const app = await startApp(t, {
    ACCEL_PREFIX: '/_objects/',
    BASE_URL: public_url,
    PROXY_HOPS: '1',
  })
  await startNginx(t, documentedConfig(port, app.url, app.data_dir))
  await eventually('nginx', () =>
    fetch(`${public_url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { file_uid } = await app.a.cleanBuild(game, { bytes })
  await app.sql`update listings set visibility = 'public', anonymous_downloads = true`
  const behind_nginx = client(public_url)
  const { url } = must(await behind_nginx.get(`/api/v1/public/downloads/${file_uid}`))
  assert.ok(url.startsWith(public_url))
  const { key } = await app.a.key('player', game.owner, ['player:read'])
  const configure = await behind_nginx.get('/api/v1/public/asset-library/configure', {
    headers: { svc_games: key },
  })
  assert.equal(configure.body.auth.username, game.owner.username)

  const answer = await fetch(url)
  assert.equal(answer.status, 200)
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes))
  const header = (name: string) => answer.headers.get(name)
  assert.equal(
    header('content-disposition'),
    `attachment; filename="game.zip"; filename*=UTF-8''game.zip`,
  )
  assert.deepEqual(
    [
      header('content-type'),
      header('x-content-type-options'),
      header('content-security-policy'),
      header('cache-control'),
    ],
    [
      'application/zip',
      'nosniff',
      "default-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
      'private, no-store',
    ],
  )
  assert.equal(header('x-accel-redirect'), null)
  const part = await fetch(url, { headers: { range: 'bytes=10-19', 'if-range': header('etag')! } })
  assert.deepEqual(
    [part.status, part.headers.get('content-range')],
    [206, `bytes 10-19/${bytes.length}`],
  )
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20)))
  assert.equal((await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })).status, 416)
  assert.equal((await fetch(url, { headers: { 'if-none-match': header('etag')! } })).status, 304)
  const head = await fetch(url, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)])

  assert.equal(
    (await fetch(`${public_url}/_objects/builds/${game.uid}/${file_uid}.zip`)).status,
    404,
    'the file is served without a signed link',
  )
  assert.equal((await fetch(url.replace(/signature=.*/, 'signature=x'))).status, 404)
  await app.core.storage.remove(`builds/${game.uid}/${file_uid}.zip`)
  const gone = await fetch(url)
  assert.deepEqual([gone.status, ((await gone.json()) as any).error.code], [404, 4040])
  await app.sql`update files set scan = 'infected'`
  assert.equal((await fetch(url)).status, 404)
})
