import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { routes } from '../../../src/routes.ts'
import { type Answer, client, eventually, startApp, temporaryFolder } from '../../support/app.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { freePort } from '../../support/child.ts'
import { cleanup } from '../../support/cleanup.ts'
import { startNginx } from '../../support/programs/nginx.ts'
import { needs } from '../../support/system-packages.ts'
import { read } from './deploy-files.ts'

/** Makes the certificate where the configuration looks for it. */
function addCertificate(folder: string) {
  const { key, cert } = makeCertificate(folder, 'localhost')
  renameSync(key, join(folder, 'privkey.pem'))
  renameSync(cert, join(folder, 'fullchain.pem'))
}

test('nginx accepts the configuration', (t) => {
  if (!needs(t, 'nginx')) return
  const folder = temporaryFolder(t)
  const adapted = read('deploy/nginx.conf')
    .replaceAll(/server (api|web|upload):8080/g, 'server 127.0.0.1:8080')
    .replace('listen 80;', 'listen 127.0.0.1:18080;')
    .replace('listen 443 ssl;', 'listen 127.0.0.1:18443 ssl;')
    .replaceAll('/etc/slipway/tls', folder)
    .replaceAll('/var/log/nginx', folder)
  addCertificate(folder)
  writeFileSync(join(folder, 'slipway.conf'), adapted)
  const temp_paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const config = [
    `pid ${folder}/pid;`,
    `error_log ${folder}/log;`,
    'events {}',
    'http {',
    'access_log off;',
    ...temp_paths,
    `include ${folder}/slipway.conf;`,
    '}',
  ].join('\n')
  mkdirSync(join(folder, 'logs'))
  writeFileSync(join(folder, 'nginx.conf'), config)
  const { status, stderr } = spawnSync(
    'nginx',
    ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')],
    { encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
})

const POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

test('nginx serves https, leads http to it, and logs no secrets of addresses', async (t) => {
  if (!needs(t, 'nginx')) return
  const folder = temporaryFolder(t)
  addCertificate(folder)
  const [plain_port, tls_port] = [await freePort(), await freePort()]
  const app = await startApp(t, { PROXY_HOPS: '1', BASE_URL: `https://127.0.0.1:${tls_port}` })
  const conf = read('deploy/nginx.conf')
    .replaceAll(/server (api|web):8080/g, `server 127.0.0.1:${new URL(app.url).port}`)
    .replaceAll('server upload:8080', `server 127.0.0.1:${await freePort()}`)
    .replace('listen 80;', `listen 127.0.0.1:${plain_port};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${tls_port} ssl;`)
    .replaceAll('/etc/slipway/tls', folder)
    .replaceAll('/var/log/nginx', folder)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;`
  writeFileSync(join(folder, 'nginx.conf'), `${main} events {} http { ${temporary} ${conf} }`)
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
  cleanup(t, () => nginx.kill('SIGTERM'))
  const plain = `http://127.0.0.1:${plain_port}`
  const redirect = await eventually('nginx', () =>
    fetch(`${plain}/password/new?token=secret-1`, { redirect: 'manual' }).catch(
      () => false as const,
    ),
  )
  assert.deepEqual(
    [redirect.status, redirect.headers.get('location')],
    [301, 'https://127.0.0.1/password/new?token=secret-1'],
  )
  const own = { nosniff: 'nosniff', policy: POLICY, hsts: null as string | null }
  const headersOf = ({ headers }: Response) => ({
    nosniff: headers.get('x-content-type-options'),
    policy: headers.get('content-security-policy'),
    hsts: headers.get('strict-transport-security'),
  })
  assert.deepEqual(headersOf(redirect), own)
  // A program that sends its key in the clear learns that it does, instead of being led on.
  for (const path of ['/api/v1/private/account', '/mcp', '/player', '/oauth/token']) {
    const refusal = await fetch(`${plain}${path}`, { redirect: 'manual' })
    assert.equal(refusal.status, 403, path)
    assert.deepEqual(headersOf(refusal), own)
    assert.equal(refusal.headers.get('content-type'), 'text/plain; charset=utf-8')
  }
  const secure = async (path: string) => {
    const headers = { referer: 'https://127.0.0.1/?code=secret-2' }
    const options = { rejectUnauthorized: false, headers }
    const [answer] = (await once(
      get(`https://127.0.0.1:${tls_port}${path}`, options),
      'response',
    )) as [IncomingMessage]
    answer.resume()
    const { statusCode, rawHeaders } = answer
    // Each header is there once, whoever set it.
    const valuesOf = (name: string) =>
      rawHeaders.filter((_, i) => rawHeaders[i - 1]?.toLowerCase() === name).join(' and ')
    return [
      statusCode,
      valuesOf('x-content-type-options'),
      valuesOf('content-security-policy'),
      valuesOf('strict-transport-security'),
    ]
  }
  const common = ['nosniff', POLICY, 'max-age=31536000']
  assert.deepEqual(await secure('/media/x?Signature=secret-3'), [404, ...common])
  assert.deepEqual(await secure('/ready'), [404, ...common])
  // No process answers uploads here.
  assert.deepEqual(await secure('/api/v1/tool/upload/files?token=secret-4'), [502, ...common])
  const log = await eventually('all lines of the log', () => {
    const text = readFileSync(join(folder, 'access.log'), 'utf8')
    return text.trim().split('\n').length === 8 && text
  })
  assert.match(log, /"GET \/password\/new HTTP\/1.1" 301 [\s\S]*"GET \/media\/x HTTP\/1.1" 404 /)
  assert.doesNotMatch(log, /secret/)
  for (const name of readdirSync(folder).filter((name) => /log$/.test(name)))
    assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /secret/, name)
})

test('nginx routes to the upload processes exactly the addresses that they serve', () => {
  const conf = read('deploy/nginx.conf')
  const [pattern, block] = /location ~ (\S+) \{([^}]*slipway_upload[^}]*)\}/.exec(conf)!.slice(1)
  assert.match(block!, /proxy_request_buffering off;/)
  const sample = (url: string) => url.replaceAll(/:\w+/g, 'x')
  const wrong = routes.filter(
    ({ url, role = 'api' }) => new RegExp(pattern!).test(sample(url)) !== (role === 'upload'),
  )
  // An address may belong to both roles by method; an upload process then serves only its own
  // methods.
  const uploads = new Set(routes.filter(({ role }) => role === 'upload').map(({ url }) => url))
  assert.ok(uploads.size >= 5)
  assert.deepEqual(
    wrong.map(({ method, url }) => `${method} ${url}`),
    [],
  )
})

/** The service behind nginx with the configuration of deploy/, called through nginx. */
async function startBehindNginx(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { port } = new URL(app.url)
  const url = await startNginx(t, { api: [port], web: [port], upload: [port] })
  return { ...app, ...client(url) }
}

test('behind nginx, a token in the header SVC_GAMES signs in', async (t) => {
  if (!needs(t, 'nginx')) return
  const { a, get } = await startBehindNginx(t)
  const person = await a.user()
  const { key } = await a.key('player', person, ['player:read'])
  const configure = (svc_games: string) =>
    get('/api/v1/public/asset-library/configure', { headers: { svc_games } })
  const { username, signed_in } = (await configure(key)).body.auth
  assert.deepEqual([username, signed_in], [person.username, true])
  assert.equal((await configure(`${key}x`)).status, 401)
})

test('behind nginx, readiness answers like an unknown address', async (t) => {
  if (!needs(t, 'nginx')) return
  const { get, url } = await startBehindNginx(t)
  const names = ['content-type', 'cache-control', 'x-content-type-options']
  const summary = ({ status, body, headers }: Answer) => [
    status,
    body,
    names.map((name) => headers[name]),
  ]
  const ready = await get('/ready')
  assert.deepEqual(summary(ready), summary(await get('/api/v1/unknown')))
  assert.equal(ready.body.error.code, 4040)
  await eventually(
    'the answer of the process itself',
    async () => (await client(url).get('/ready')).status === 200,
  )
})
