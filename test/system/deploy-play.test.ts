import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { parse } from 'yaml'
import { gameFiles, large, startPlayApp, wasm } from '../play/fixtures.ts'
import { eventually, temporaryFolder } from '../support/app.ts'
import { addCopy, must } from '../support/builders.ts'
import { freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { needs } from '../support/system-packages.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const read = (name: string) => readFileSync(join(deploy, name), 'utf8')

/** A certificate that nobody signed. */
function createCertificate(folder: string, name: string) {
  mkdirSync(folder)
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-subj', `/CN=${name}`, '-days', '2'],
      ...['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')],
    ],
    { encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
}

/** A game behind nginx with both files of deploy/, in which only addresses and paths differ. */
async function startBehindNginx(t: TestContext) {
  const app = await startPlayApp(t, {
    env: {
      PROXY_HOPS: '1',
      BASE_URL: 'https://store.example',
      PLAY_URL: 'https://*.play.example',
    },
  })
  const folder = temporaryFolder(t)
  createCertificate(join(folder, 'tls'), 'store.example')
  createCertificate(join(folder, 'tls-play'), '*.play.example')
  const port = await freePort()
  const adapted = (name: string) =>
    read(name)
      .replaceAll(/server (api|web|upload):8080/g, `server 127.0.0.1:${new URL(app.url).port}`)
      .replace(/^server \{\n {2}listen 80;[\s\S]*?^\}\n/m, '')
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
      .replaceAll('/etc/slipway/', `${folder}/`)
      .replaceAll('/var/log/nginx', folder)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;`
  const http = `${temporary} ${adapted('nginx.conf')} ${adapted('nginx-play.conf')}`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `${main} events {} http { ${http} }`)
  const checked = spawnSync('nginx', ['-t', '-p', folder, '-c', file], { encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  const nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' })
  cleanup(t, () => nginx.kill('SIGTERM'))
  const get = async (
    host: string,
    path: string,
    { headers = {}, method = 'GET' }: { headers?: Record<string, string>; method?: string } = {},
  ) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      servername: host,
      headers: { host, ...headers },
      rejectUnauthorized: false,
      agent: false,
    })
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const certificate = (answer.socket as TLSSocket).getPeerCertificate().subject.CN
    const { statusCode: status, headers: received } = answer
    return { status, headers: received, certificate, body: await buffer(answer) }
  }
  await eventually('nginx', () => get('store.example', '/health').catch(() => false as const))
  const name = `${app.game.uid}.play.example`
  const log = () => readFileSync(join(folder, 'access.log'), 'utf8')
  return { ...app, get, name, log, api: app.get }
}

test('behind nginx, games are served on their own names with their own certificate', async (t) => {
  if (!needs(t, 'nginx')) return
  const { get, name, file_uid } = await startBehindNginx(t)
  const page = await get(name, `/${file_uid}/`)
  assert.deepEqual([page.status, page.certificate], [200, '*.play.example'])
  assert.equal(page.headers['cross-origin-embedder-policy'], 'require-corp')
  assert.equal(page.headers['x-content-type-options'], 'nosniff')
  assert.equal(page.headers['strict-transport-security'], 'max-age=31536000')
  assert.match(
    String(page.headers['content-security-policy']),
    /frame-ancestors 'self' https:\/\/store\.example/,
  )
  for (const { name: path, body } of gameFiles) {
    if (/\.(br|gz)$/.test(path)) continue
    const { status, body: received } = await get(name, `/${file_uid}/${encodeURI(path)}`)
    assert.deepEqual([status, received], [200, Buffer.from(body as string)], path)
  }
  const coded = await get(name, `/${file_uid}/build.wasm.br`, {
    headers: { 'accept-encoding': 'br' },
  })
  assert.deepEqual(
    [coded.headers['content-encoding'], coded.headers['content-type']],
    ['br', 'application/wasm'],
  )
  const part = await get(name, `/${file_uid}/large.pck`, { headers: { range: 'bytes=7-16' } })
  assert.deepEqual([part.status, part.body], [206, large.subarray(7, 17)])
  const head = await get(name, `/${file_uid}/game.wasm`, { method: 'HEAD' })
  assert.equal(head.headers['content-length'], String(wasm.length))
})

test('behind nginx, the names of games have nothing of the store, and the store no games', async (t) => {
  if (!needs(t, 'nginx')) return
  const { get, name, file_uid } = await startBehindNginx(t)
  for (const path of ['/health', '/ready', '/login', '/api/v1/public/search', '/_objects/x'])
    assert.equal((await get(name, path)).status, 404, path)
  const newest = await get(name, '/')
  assert.deepEqual([newest.status, newest.headers.location], [302, `/${file_uid}/`])
  assert.equal((await get(name, `/${file_uid}/`, { method: 'POST' })).status, 405)
  const store = await get('store.example', '/health')
  assert.deepEqual([store.status, store.certificate], [200, 'store.example'])
  assert.equal((await get('store.example', `/${file_uid}/`)).status, 404)
  // A name below that belongs to no game is not one of its server; the service knows no game there.
  for (const host of ['www.play.example', 'play.example'])
    assert.equal((await get(host, `/${file_uid}/`)).status, 404, host)
})

test('behind nginx, a paid game opens by its link, which is not logged', async (t) => {
  if (!needs(t, 'nginx')) return
  const app = await startBehindNginx(t)
  const { get, name, file_uid } = app
  await app.sql`update listings set price_cents = 500 where uid = ${app.game.uid}`
  const player = await app.a.verified()
  await addCopy(app.sql, app.game.uid, player.uid, 'purchase')
  const url = await eventually('the link', async () => {
    const answer = await app.api(`/api/v1/public/games/${app.game.uid}/play`, player)
    return answer.status === 200 && new URL(must(answer).url)
  })
  assert.equal(url.host, name)
  await eventually('the price', async () => (await get(name, `/${file_uid}/`)).status === 404)
  const started = await get(name, `${url.pathname}${url.search}`)
  assert.deepEqual([started.status, started.headers.location], [302, `/${file_uid}/`])
  const [cookie] = started.headers['set-cookie']!
  assert.match(cookie!, /^__Host-/)
  const played = await get(name, `/${file_uid}/`, { headers: { cookie: cookie!.split(';')[0]! } })
  assert.equal(played.status, 200)
  const text = await eventually('the log', () => app.log().includes('"GET /.start/') && app.log())
  assert.doesNotMatch(text, /signature/)
})

test('the compose file serves games when it is told their names', () => {
  const { services } = parse(read('compose.yaml'), { merge: true })
  const mounts: string[] = services.nginx.volumes
  assert.ok(mounts.some((mount) => /PLAY_CONF:-\/dev\/null.:\/etc\/nginx\/conf\.d\//.test(mount)))
  const [, folder] = /ssl_certificate (\/\S+)\/fullchain\.pem;/.exec(read('nginx-play.conf'))!
  assert.ok(mounts.some((mount) => mount.endsWith(`:${folder}:ro`)))
  for (const role of ['api', 'web', 'worker'])
    assert.match(services[role].environment.PLAY_URL, /^\$\{PLAY_URL:-\}$/)
  for (const variable of ['PLAY_URL', 'PLAY_CONF', 'PLAY_TLS_DIR'])
    assert.match(read('.env.example'), new RegExp(`^#${variable}=`, 'm'))
})
