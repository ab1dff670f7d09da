import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { createOutbound } from '../../../src/core/security/outbound.ts'
import {
  echo,
  fails,
  listen,
  local,
  names,
  sendRequest,
  serve,
  serveBytes,
  serveTls,
  tls,
} from './outbound-fixtures.ts'

test('sends method, path, query, headers and body, and returns the whole response', async (t) => {
  const origin = await serve(t, echo)
  const answer = await sendRequest(`${origin}/hook?a=1#part`, {
    method: 'POST',
    headers: { 'X-Test': 'yes' },
    body: 'snow ☃',
  })
  const seen = JSON.parse(answer.body.toString())
  assert.equal(answer.status, 200)
  assert.equal(answer.url, `${origin}/hook?a=1#part`)
  assert.deepEqual(
    [seen.method, seen.url, seen.headers['x-test'], seen.body],
    ['POST', '/hook?a=1', 'yes', 'snow ☃'],
  )
  assert.equal(seen.headers['content-length'], String(Buffer.byteLength('snow ☃')))
  assert.equal(seen.headers['accept-encoding'], 'identity')
})

test('sends binary bodies unchanged, also with methods that rarely have a body', async (t) => {
  const origin = await serve(t, echo)
  const answer = await sendRequest(origin, {
    method: 'DELETE',
    body: new TextEncoder().encode('bytes'),
  })
  assert.equal(JSON.parse(answer.body.toString()).body, 'bytes')
})

test('returns an error status as a response, not as a failure', async (t) => {
  const origin = await serve(t, (_request, response) => response.writeHead(503).end('later'))
  const { status, body } = await sendRequest(origin)
  assert.deepEqual([status, body.toString()], [503, 'later'])
})

test('callers cannot set headers that control the transport', async (t) => {
  const origin = await serve(t, echo)
  const headers = {
    Host: 'internal.test',
    'Accept-Encoding': 'gzip',
    Expect: '100-continue',
    Connection: 'upgrade',
    Upgrade: 'websocket',
    'Content-Length': '1',
  }
  const seen = JSON.parse(
    (await sendRequest(origin, { method: 'POST', headers, body: 'abc' })).body.toString(),
  )
  assert.equal(`http://${seen.headers.host}`, origin)
  assert.deepEqual(
    [seen.headers['accept-encoding'], seen.headers.connection, seen.headers['content-length']],
    ['identity', 'close', '3'],
  )
  assert.deepEqual([seen.headers.expect, seen.headers.upgrade], [undefined, undefined])
})

test('plain http to loopback needs the exception, which covers one exact host', async (t) => {
  const origin = await serve(t, echo)
  const port = new URL(origin).port
  assert.equal((await sendRequest(origin)).status, 200)
  await fails(local.request({ url: origin }), 'blocked')
  await fails(local.request({ url: origin, plain_http: true }), 'blocked')
  for (const host of [
    'localhost',
    '127.0.0.2',
    '[::1]',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '[::ffff:127.0.0.1]',
  ])
    await fails(sendRequest(`http://${host}:${port}/`, { plain_http: true }), 'blocked')
})

test('rejects a name that resolves to a private address before connecting', async (t) => {
  let connections = 0
  const origin = await serveBytes(t, () => connections++)
  const port = new URL(origin).port
  const table = {
    'loop.test': ['127.0.0.1'],
    'mixed.test': ['8.8.8.8', '127.0.0.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'zone.test': ['fe80::1%lo'],
    'text.test': ['nonsense'],
  }
  const outbound = createOutbound({ lookup: names(table) })
  for (const host of Object.keys(table)) {
    await fails(outbound.request({ url: `https://${host}:${port}/` }), 'blocked')
    await fails(
      outbound.request({ url: `http://${host}:${port}/`, plain_http: true, loopback: true }),
      'blocked',
    )
  }
  assert.equal(connections, 0)
})

test('a name without addresses, or whose lookup fails, is a dns failure', async () => {
  await fails(
    createOutbound({ lookup: async () => [] }).request({ url: 'https://gone.test/hush?hush' }),
    'dns',
    /gone\.test/,
  )
  const broken = async () => Promise.reject(new Error('hush'))
  await fails(createOutbound({ lookup: broken }).request({ url: 'https://gone.test/' }), 'dns')
})

test('a trusted origin may be private, and its name is resolved once', async (t) => {
  const origin = await serve(t, echo)
  const { port } = new URL(origin)
  const lookups: string[] = []
  const lookup = async (host: string) => {
    lookups.push(host)
    return [{ address: lookups.length === 1 ? '127.0.0.1' : '127.0.0.9' }]
  }
  const outbound = createOutbound({
    trusted_origins: [`http://store.test:${port}/ignored`],
    lookup,
  })
  const answer = await outbound.request({ url: `http://store.test:${port}/a` })
  assert.equal(JSON.parse(answer.body.toString()).headers.host, `store.test:${port}`)
  assert.deepEqual(lookups, ['store.test'])
  await fails(outbound.request({ url: `http://store.test:${Number(port) ^ 1}/a` }), 'blocked')
})

test('tries the next address when the first does not answer', async (t) => {
  const origin = await serve(t, echo)
  const { port } = new URL(origin)
  const lookup = names({ 'store.test': ['127.0.0.9', '127.0.0.1'] })
  const outbound = createOutbound({ trusted_origins: [`http://store.test:${port}`], lookup })
  assert.equal((await outbound.request({ url: `http://store.test:${port}/` })).status, 200)
})

test('verifies the https certificate against the requested name', async (t) => {
  const port = await serveTls(t, echo)
  const origins = ['store.test', 'other.test', '127.0.0.1'].map((host) => `https://${host}:${port}`)
  const lookup = names({
    'store.test': ['127.0.0.1'],
    'store.test.': ['127.0.0.1'],
    'other.test': ['127.0.0.1'],
  })
  const outbound = createOutbound({
    trusted_origins: [...origins, `https://store.test.:${port}`],
    lookup,
    ca: tls.cert,
  })
  for (const host of ['store.test', 'store.test.', '127.0.0.1'])
    assert.equal((await outbound.request({ url: `https://${host}:${port}/` })).status, 200, host)
  await fails(
    outbound.request({ url: `https://other.test:${port}/hush?hush` }),
    'network',
    /ERR_TLS_CERT_ALTNAME_INVALID/,
  )
  await fails(
    outbound.request({ url: `https://other.test:${port}/`, headers: { host: 'store.test' } }),
    'network',
    /ALTNAME/,
  )
  const stranger = createOutbound({ trusted_origins: origins, lookup })
  await fails(stranger.request({ url: `https://store.test:${port}/` }), 'network', /CERT/)
})

test('accepts a response of exactly the size limit and rejects one byte more', async (t) => {
  const origin = await serve(t, (request, response) =>
    response.end(Buffer.alloc(Number(request.url!.slice(1)))),
  )
  assert.equal((await sendRequest(`${origin}/1000`, { max_bytes: 1000 })).body.length, 1000)
  await fails(sendRequest(`${origin}/1001`, { max_bytes: 1000 }), 'too_large')
  assert.equal((await sendRequest(`${origin}/${1024 * 1024}`)).body.length, 1024 * 1024)
  await fails(sendRequest(`${origin}/${1024 * 1024 + 1}`), 'too_large')
})

test('aborts an endless response at the size limit and closes its connection', async (t) => {
  const closed = Promise.withResolvers<void>()
  const origin = await serve(t, (_request, response) => {
    const more = () => response.write(Buffer.alloc(4096), (error) => error || setImmediate(more))
    more()
    response.on('close', () => closed.resolve())
  })
  await fails(sendRequest(origin, { max_bytes: 100_000 }), 'too_large')
  await closed.promise
})

test('with body_of_status only the body of that status is read, as far as it can be', async (t) => {
  const origin = await serve(t, (request, response) => {
    const path = request.url!.slice(1)
    response.writeHead(path === 'other' ? 503 : 429, {
      'retry-after': '7',
      ...(path === 'gzip' && { 'content-encoding': 'gzip' }),
    })
    if (path === 'slow') response.write('x')
    else if (path === 'cut') response.write('x', () => response.destroy())
    else response.end(path === 'long' ? 'x'.repeat(101) : 'wait')
  })
  for (const [path, expected] of [
    ['fine', [429, '7', 'wait']],
    ['other', [503, '7', '']],
    ['long', [429, '7', '']],
    ['gzip', [429, '7', '']],
    ['cut', [429, '7', '']],
    ['slow', [429, '7', '']],
  ] as const) {
    const options = { status_only: true, body_of_status: 429, max_bytes: 100, timeout_ms: 60_000 }
    const { status, headers, body } = await sendRequest(`${origin}/${path}`, options)
    assert.deepEqual([status, headers['retry-after'], body.toString()], expected, path)
  }
})

test('with status_only a response ends after its headers, whatever its body', async (t) => {
  const closed = Promise.withResolvers<void>()
  const origin = await serve(t, (request, response) => {
    response.writeHead(202, { 'content-encoding': 'gzip', 'x-said': request.url! }).write('x')
    response.on('close', () => closed.resolve())
  })
  const { status, headers, body } = await sendRequest(`${origin}/slow`, {
    status_only: true,
    max_bytes: 0,
    timeout_ms: 60_000,
  })
  assert.deepEqual([status, headers['x-said'], body.length], [202, '/slow', 0])
  await closed.promise
})

test('rejects a response with an unrequested content encoding', async (t) => {
  const origin = await serve(t, (request, response) =>
    response.writeHead(200, { 'content-encoding': request.url!.slice(1) }).end('x'),
  )
  for (const encoding of ['gzip', 'br', 'identity,gzip', 'hush'])
    await fails(sendRequest(`${origin}/${encoding}`), 'network', /encoding/)
  for (const encoding of ['', 'identity', 'Identity'])
    assert.equal((await sendRequest(`${origin}/${encoding}`)).body.toString(), 'x')
})

const stalling: Record<string, (socket: Socket) => void> = {
  'sends nothing': () => {},
  'drips its headers': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'),
  'drips its body': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', '.'),
  'sends only interim answers': (socket) => drip(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
}

function drip(socket: Socket, start: string, drop: string) {
  socket.write(start)
  const timer = setInterval(() => socket.write(drop), 20)
  socket.on('close', () => clearInterval(timer))
}

for (const [behavior, respond] of Object.entries(stalling))
  test(`a server that ${behavior} is disconnected at the time limit`, async (t) => {
    const closed = Promise.withResolvers<void>()
    const origin = await serveBytes(t, (socket) => {
      socket.resume().on('close', () => closed.resolve())
      respond(socket)
    })
    await fails(sendRequest(`${origin}/hush?hush`, { timeout_ms: 200 }), 'timeout')
    await closed.promise
  })

test('aborts a TLS handshake or a name lookup that never ends at the time limit', async (t) => {
  const origin = (await serveBytes(t, () => {})).replace('http', 'https')
  await fails(
    createOutbound({ trusted_origins: [origin] }).request({ url: origin, timeout_ms: 100 }),
    'timeout',
  )
  const lookup = () => new Promise<never>(() => {})
  await fails(
    createOutbound({ lookup }).request({ url: 'https://slow.test/', timeout_ms: 100 }),
    'timeout',
  )
})

test('the time limit covers all redirects together', async (t) => {
  const origin = await serve(
    t,
    (_request, response) =>
      void setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 40),
  )
  const outbound = createOutbound({ trusted_origins: [origin] })
  await fails(outbound.request({ url: origin, timeout_ms: 200, max_redirects: 1000 }), 'timeout')
})

test('a broken or refused connection is a network failure without secrets', async (t) => {
  const secret = { headers: { authorization: 'hush', cookie: 'hush' } }
  const responses = [
    'hush nonsense\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhush',
    'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: hush\r\n\r\n',
    '',
  ]
  for (const response of responses) {
    const origin = await serveBytes(t, (socket) => void socket.end(response))
    await fails(sendRequest(`${origin}/hush?hush`, secret), 'network', /127\.0\.0\.1/)
  }
  const closed = createTcpServer()
  const port = await listen(t, closed)
  await new Promise((done) => closed.close(done))
  await fails(sendRequest(`http://127.0.0.1:${port}/hush?hush`, secret), 'network', /ECONNREFUSED/)
  await fails(
    sendRequest(`http://127.0.0.1:${port}/`, { headers: { authorization: 'hush\n' } }),
    'network',
  )
})

test('rejects an unusable URL without repeating it', async () => {
  for (const url of ['hush', 'https://user:hush@example.com/', 'ftp://example.com/hush'])
    await fails(local.request({ url }), 'bad_url')
  await fails(local.request({ url: 'http://10.0.0.1/hush?hush' }), 'blocked')
})

test('reuses connections to a trusted origin, and replaces those the server closed', async (t) => {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    sockets.add(request.socket)
    response.end('yes')
  })
  const origin = `http://127.0.0.1:${await listen(t, server)}`
  const outbound = createOutbound({ trusted_origins: [origin], keep_alive: true })
  const read = async () => (await outbound.request({ url: origin })).body.toString()
  assert.deepEqual([await read(), await read(), await read()], ['yes', 'yes', 'yes'])
  assert.equal(sockets.size, 1)
  // The server closes the connection during the request, as when its idle timeout expires.
  server.once('request', (request: IncomingMessage) => request.socket.destroy())
  server.prependOnceListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.end = (() => response) as typeof response.end
  })
  assert.equal(await read(), 'yes')
  assert.equal(sockets.size, 2)
})

test('a reused connection ends at its deadline, and other origins are still checked', async (t) => {
  const origin = await serve(
    t,
    (request, response) => void (request.url === '/quick' && response.end('yes')),
  )
  const outbound = createOutbound({ trusted_origins: [origin], keep_alive: true })
  await outbound.request({ url: `${origin}/quick` })
  await fails(outbound.request({ url: `${origin}/slow`, timeout_ms: 50 }), 'timeout')
  assert.equal((await outbound.request({ url: `${origin}/quick` })).status, 200)
  await fails(outbound.request({ url: 'http://127.0.0.1:1/' }), 'blocked')
  const gone = createServer()
  const port = await listen(t, gone)
  gone.close()
  const unused_origin = `http://127.0.0.1:${port}`
  await fails(
    createOutbound({ trusted_origins: [unused_origin], keep_alive: true }).request({
      url: unused_origin,
    }),
    'network',
  )
})
