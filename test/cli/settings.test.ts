import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer, request } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ApiError, UsageError } from '../../cli/errors.ts'
import { bypassesProxy, createAgents } from '../../cli/http/proxy.ts'
import { backoff } from '../../cli/http/retry.ts'
import { baseUrl, type Settings } from '../../cli/settings.ts'
import { startApp, temporaryFolder } from '../support/app.ts'
import { makeCertificate } from '../support/certificate.ts'
import { cleanup } from '../support/cleanup.ts'
import { listen } from '../support/listen.ts'
import { needs } from '../support/system-packages.ts'
import { slipway, startUploaderApp } from './slipway.ts'

test('flags win over the environment, which wins over the defaults', async (t) => {
  const { run, env, url } = await startUploaderApp(t)
  const nowhere = {
    SVC_API_URL: 'http://127.0.0.1:9/api/v1',
    SVC_ACCESS_TOKEN: 'svc_dat_wrong',
    SVC_SECRET_KEY: 'svc_dsk_wrong',
  }
  const flags = [
    '--url',
    `${url}/api/v1/`,
    '--access',
    env.SVC_ACCESS_TOKEN,
    '--secret',
    env.SVC_SECRET_KEY,
  ]
  const { code, stderr } = await run(['info', ...flags], { env: nowhere })
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^warning: --secret is visible to every user of this machine/)
  assert.equal(
    (await run(['--json', 'info'])).json.ok,
    true,
    'a flag before the command was refused',
  )
  assert.equal(
    (await run(['info'], { env: { SVC_API_URL: undefined } })).code,
    3,
    'the built-in address was not used',
  )
  assert.equal((await run(['info', `--url=${url}/api/v1`], { env: nowhere })).code, 2)
})

test('the secret comes from standard input or a private file, from one source only', async (t) => {
  const { run, env, home } = await startUploaderApp(t)
  const without = { SVC_SECRET_KEY: undefined }
  const file = join(home, 'secret')
  writeFileSync(file, `${env.SVC_SECRET_KEY}\nmore\n`)
  chmodSync(file, 0o600)
  assert.equal(
    (
      await run(['info', '--secret-stdin'], {
        env: without,
        input: `  ${env.SVC_SECRET_KEY} \r\nrest`,
      })
    ).code,
    0,
  )
  assert.equal((await run(['info', '--secret-file', file], { env: without })).code, 0)
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(file, mode)
    const { code, stderr } = await run(['info', '--secret-file', file], { env: without })
    assert.equal(code, 1)
    assert.match(stderr, /others can read .*secret\n {2}hint: restrict it: chmod 600/)
  }
  symlinkSync(file, join(home, 'link'))
  const cases: [string[], string, RegExp][] = [
    [[], '', /no secret is set/],
    [['--secret-stdin'], '', /no secret is set/],
    [['--secret-stdin'], 'x'.repeat(5000), /longer than 4096 bytes/],
    [['--secret-stdin', '--secret', 'x'], '', /set the secret once: --secret or --secret-stdin/],
    [['--secret-file', join(home, 'nowhere')], '', /cannot be read \(ENOENT\)/],
    [['--secret-file', home], '', /is not a small file/],
    [['--secret-file', join(home, 'link')], '', /others can read/],
    [['--secret-stdin'], 'a secret\nwith spaces', /characters that no key has/],
  ]
  for (const [args, input, message] of cases) {
    const { code, stderr } = await run(['info', ...args], { env: without, input })
    assert.equal(code, 1, args.join(' '))
    assert.match(stderr, message)
  }
  assert.match(
    (await run(['info'], { env: { SVC_ACCESS_TOKEN: '' } })).stderr,
    /no access token is set/,
  )
})

test('the secret is sent over TLS or to loopback only', () => {
  for (const good of [
    'https://x.example:8443/api/v1',
    'http://localhost:1/api/v1',
    'http://127.3.2.1/a',
    'http://[::1]:8/a',
  ]) {
    assert.equal(baseUrl('--url', `${good}//`, ''), good)
  }
  for (const bad of [
    'http://x.example/api/v1',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'ftp://localhost',
    'https://me:pw@x.example',
    'x.example/api/v1',
    'https://',
    'https://x.example/?q=1',
  ])
    assert.throws(() => baseUrl('--url', bad, ''), UsageError, bad)
  assert.throws(
    () => baseUrl('--url', 'http://me:pw@x.example y', ''),
    (error: Error) => !error.message.includes('pw'),
  )
})

test('an address without /api/v1 works, and another path is named when it fails', async (t) => {
  for (const origin of ['https://x.example', 'https://x.example:8443', 'http://[::1]:8'])
    for (const end of ['', '/', '//', '/api/v1', '/api/v1/'])
      assert.equal(baseUrl('--url', origin + end, ''), `${origin}/api/v1`)
  const { run, url } = await startUploaderApp(t)
  const origin = await run(['info', '--url', url, '--upload', `${url}/`])
  assert.equal(origin.code, 0, origin.stderr)
  for (const path of ['/api', '/api/v2', '/somewhere']) {
    const { code, stderr } = await run(['info', '--url', `${url}${path}`])
    assert.equal(code, 2, stderr)
    assert.match(stderr, new RegExp(`ends in /api/v1, and ${url}${path} does not`))
  }
})

test('the backoff doubles from one second to thirty and honors Retry-After', () => {
  const settings = { retry_seconds: 1 }
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map((failed) => backoff(failed, settings)),
    [1, 2, 4, 8, 16, 30, 30],
  )
  const rateLimited = (retry_after: number) =>
    new ApiError({ status: 429, message: '', retry_after })
  assert.deepEqual(
    [
      backoff(1, settings, rateLimited(20)),
      backoff(1, settings, rateLimited(3600)),
      backoff(5, settings, rateLimited(2)),
    ],
    [20, 30, 16],
  )
  assert.equal(
    backoff(1, { retry_seconds: 0.01 }, rateLimited(20)),
    20,
    'Retry-After was not read as seconds',
  )
})

test('NO_PROXY matches hosts, subdomains, ports or everything; loopback never uses a proxy', () => {
  const bypasses = (url: string, list: string) => bypassesProxy(new URL(url), list)
  for (const [url, list] of [
    ['https://a.example', 'a.example'],
    ['https://a.b.example', 'b.example'],
    ['https://a.b.example', '.b.example'],
    ['https://a.b.example', '*.b.example'],
    ['https://a.example:8443', 'x, A.EXAMPLE:8443'],
    ['https://a.example', 'a.example:443'],
    ['https://a.example', '*'],
    ['https://[2001:db8::1]', '2001:db8::1'],
    ['https://[2001:db8::1]:8', '[2001:db8::1]:8'],
    ['https://localhost', ''],
    ['https://127.0.0.1', ''],
  ] as const)
    assert.ok(bypasses(url, list), `${url} ${list}`)
  for (const [url, list] of [
    ['https://a.example', ''],
    ['https://ba.example', 'a.example'],
    ['https://a.example', 'a.example:8443'],
    ['https://a.example', 'example.com'],
  ] as const)
    assert.ok(!bypasses(url, list), `${url} ${list}`)
})

/** A TLS proxy in front of the real server, with a certificate for a name that does not resolve. */
async function startTls(t: TestContext, target: string) {
  const { key, cert } = makeCertificate(temporaryFolder(t), 'store.example.test')
  const { hostname, port } = new URL(target)
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) })
  // Forward the decrypted bytes unchanged, so that the real server answers.
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket) => pipe(socket, connect(Number(port), hostname)))
  return { cert, port: await listen(t, server) }
}

function pipe(a: Socket, b: Socket) {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const)
    from
      .on('error', () => to.destroy())
      .on('close', () => to.destroy())
      .pipe(to)
}

async function startProxy(t: TestContext, port: number) {
  const requests: (string | undefined)[][] = []
  const proxy = createServer().on('connect', (request, socket: Socket) => {
    requests.push([
      request.url,
      request.headers['proxy-authorization'],
      request.headers['x-secret-key'] as string,
    ])
    if (request.url === 'refused.example.test:443')
      return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    pipe(socket, connect(port, '127.0.0.1'))
  })
  return { requests, url: `http://who:p%40ss@127.0.0.1:${await listen(t, proxy)}` }
}

test('TLS certificates must be trusted, and a proxy does not see the key', async (t) => {
  if (!needs(t, 'openssl')) return
  const { env: key, url } = await startUploaderApp(t)
  const { cert, port } = await startTls(t, url)
  const direct = { ...key, SVC_API_URL: `https://127.0.0.1:${port}/api/v1` }
  const untrusted = await slipway(['info'], { env: direct })
  assert.equal(untrusted.code, 3)
  assert.match(
    untrusted.stderr,
    /the certificate is not trusted .*\n {2}hint: .*NODE_EXTRA_CA_CERTS/,
  )
  assert.doesNotMatch(untrusted.stderr, /trying again/)
  const trusting = { NODE_EXTRA_CA_CERTS: cert }
  assert.equal((await slipway(['info'], { env: { ...direct, ...trusting } })).code, 0)
  assert.match(
    (await slipway(['info'], { env: { ...direct, SVC_API_URL: url.replace('http:', 'https:') } }))
      .stderr,
    /does not speak TLS/,
  )

  const proxy = await startProxy(t, port)
  const named = {
    ...key,
    ...trusting,
    HTTPS_PROXY: proxy.url,
    SVC_API_URL: 'https://store.example.test/api/v1',
  }
  const through = await slipway(['info'], { env: named })
  assert.equal(through.code, 0, through.stderr)
  assert.deepEqual(proxy.requests, [
    ['store.example.test:443', `Basic ${Buffer.from('who:p@ss').toString('base64')}`, undefined],
  ])
  const rejected = await slipway(['info'], {
    env: { ...named, SVC_API_URL: 'https://refused.example.test/api/v1' },
  })
  assert.equal(rejected.code, 3)
  assert.match(rejected.stderr, /refused to connect to refused\.example\.test:443 \(HTTP 403\)/)
  assert.equal(
    (await slipway(['info'], { env: { ...named, NO_PROXY: '.example.test' } })).code,
    3,
    'the host was reached without the proxy',
  )
  assert.match(
    (await slipway(['info'], { env: { ...named, HTTPS_PROXY: 'socks5://x' } })).stderr,
    /HTTPS_PROXY is not the address of an http proxy/,
  )
  const percent = await slipway(['info'], {
    env: { ...named, HTTPS_PROXY: proxy.url.replace('%40', '%') },
  })
  assert.equal(percent.code, 1)
  assert.match(
    percent.stderr,
    /HTTPS_PROXY: the user name or password contains a %.*\n {2}hint: write %25/,
  )
})

test('a silent server behind a proxy ends with the handshake timeout', async (t) => {
  const silent = createTcpServer((socket) => socket.on('error', () => {}).resume())
  const proxy = await startProxy(t, await listen(t, silent))
  const agents = createAgents({ proxy: { https: proxy.url, except: '' } } as Settings, 200)
  cleanup(t, () => agents.close())
  const url = new URL('https://store.example.test/')
  const outgoing = request(url, {
    agent: agents.https(url),
    signal: AbortSignal.timeout(60_000),
  }).end()
  const [error] = await once(outgoing, 'error').catch((error) => [error])
  assert.match(error.message, /the TLS handshake took longer/)
})

test('the server serves the program with its own address as default', async (t) => {
  const { url, get, core } = await startApp(t, { UPLOAD_URL: 'https://uploads.example.com' })
  const answer = await get('/cli/slipway.mjs')
  assert.deepEqual(
    [answer.status, answer.headers['content-type']],
    [200, 'text/javascript; charset=utf-8'],
  )
  assert.match(answer.body, /^#!\/usr\/bin\/env node\n/)
  assert.ok(
    answer.body.includes(`${url}/api/v1`) &&
      answer.body.includes('https://uploads.example.com/api/v1'),
  )
  assert.match(
    answer.body,
    /Permission to use, copy, modify/,
    'the licenses of the bundled packages are missing',
  )
  assert.equal(core.addresses.base_url, url)
  // The program must not import names that Node 20.0 lacks, because it would not start there.
  for (const [, names, module] of answer.body.matchAll(
    /import\s*\{([^}]*)\}\s*from\s*"node:(\w+)"/g,
  ))
    assert.doesNotMatch(`${module}: ${names}`, /crypto:.*\bhash\b|^zlib:/)
  const file = join(temporaryFolder(t), 'slipway.mjs')
  writeFileSync(file, answer.body)
  chmodSync(file, 0o755)
  const link = join(temporaryFolder(t), 'slipway')
  symlinkSync(file, link)
  assert.match(execFileSync(link, ['--version'], { encoding: 'utf8' }), /^\d+\.\d+\.\d+\n$/)
})
