import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Type } from 'typebox'
import { anyone, Body, OneOf, route } from '../../../src/core/http/route.ts'
import { createServer } from '../../../src/core/http/server.ts'
import { perIp } from '../../../src/core/security/limits.ts'
import { routes } from '../../../src/routes.ts'
import { type Answer, client, startApp } from '../../support/app.ts'
import { newAddress } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'
import { sharedInFile } from '../../support/shared.ts'

const sharedApp = sharedInFile(startApp)

const refused = ({ status, body }: Answer) => [status, body.error.code, body.success]
const LOGIN = '/api/v1/private/account/login'
const json = { 'content-type': 'application/json' }

test('an unknown address returns 404 in the error envelope', async (t) => {
  const { get, post } = await sharedApp(t)
  assert.deepEqual(refused(await get('/api/v1/public/nothing-here')), [404, 4040, false])
  assert.deepEqual(refused(await post('/nothing', {})), [404, 4040, false])
})

test('an unsupported method returns 405 with the allowed methods', async (t) => {
  const { call } = await sharedApp(t)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await call(method, '/health')
    assert.deepEqual(refused(answer), [405, 4050, false])
    assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
  }
  const options = await call('OPTIONS', '/health')
  assert.equal(options.status, 204)
  assert.equal(options.headers['access-control-allow-origin'], undefined)
  assert.equal((await call('HEAD', '/health')).status, 200)
})

test('each kind of malformed body has its own error and never reaches a handler', async (t) => {
  const { post } = await sharedApp(t)
  const cases: [
    string,
    string | Uint8Array<ArrayBuffer>,
    Record<string, string>,
    number,
    number,
    RegExp,
  ][] = [
    ['truncated JSON', '{"login": "a", "pass', json, 400, 4000, /not valid JSON/],
    ['no JSON at all', 'hello', json, 400, 4000, /not valid JSON/],
    ['an empty body', '', json, 400, 4000, /body/],
    [
      'invalid UTF-8',
      Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      json,
      400,
      4000,
      /UTF-8/,
    ],
    ['an escaped NUL', '{"login": "a\\u0000b", "password": "x"}', json, 400, 4000, /NUL/],
    ['a NUL in a key', '{"lo\\u0000gin": "a", "password": "x"}', json, 400, 4000, /NUL/],
    [
      'half a surrogate pair',
      '{"login": "\\ud800", "password": "x"}',
      json,
      400,
      4000,
      /half of a surrogate pair/,
    ],
    [
      'a prototype key',
      '{"__proto__": {"x": 1}, "login": "a", "password": "x"}',
      json,
      400,
      4000,
      /not valid JSON/,
    ],
    [
      'an unknown field',
      '{"login": "a", "password": "x", "extra": 1}',
      json,
      400,
      4000,
      /body\.extra/,
    ],
    ['a missing field', '{"login": "a"}', json, 400, 4000, /body\.password/],
    ['a wrong type', '{"login": 5, "password": "x"}', json, 400, 4000, /body\.login/],
    ['an array', '[]', json, 400, 4000, /body/],
    ['null', 'null', json, 400, 4000, /body/],
    [
      'deep nesting',
      `{"login": ${'['.repeat(200_000)}${']'.repeat(200_000)}, "password": "x"}`,
      json,
      400,
      4000,
      /body\.login/,
    ],
    ['10 MB', `{"login": "${'x'.repeat(10 * 1024 * 1024)}"}`, json, 413, 4130, /too large/],
    [
      'another type',
      'login=a&password=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      4150,
      /application\/json/,
    ],
    ['XML', '<a/>', { 'content-type': 'text/xml' }, 415, 4150, /application\/json/],
    ['a broken type', '{}', { 'content-type': ';;;' }, 415, 4150, /application\/json/],
  ]
  for (const [problem, raw, headers, status, code, message] of cases) {
    const answer = await post(LOGIN, undefined, { raw, headers })
    assert.deepEqual(refused(answer), [status, code, false], problem)
    assert.match(answer.body.error.message, message, problem)
  }
})

test('accepts text that only looks like an escaped NUL', async (t) => {
  const { post } = await sharedApp(t)
  const answer = await post(LOGIN, undefined, {
    raw: '{"login": "a\\\\u0000b", "password": "x"}',
    headers: json,
  })
  assert.deepEqual(refused(answer), [401, 4010, false])
})

test('a request without its required body gets an error that says so', async (t) => {
  const { post } = await sharedApp(t)
  const answer = await post(LOGIN)
  assert.deepEqual(refused(answer), [400, 4000, false])
  assert.match(answer.body.error.message, /body/)
})

test('rejects a path with NUL, invalid escapes or excessive length', async (t) => {
  const { get } = await sharedApp(t)
  assert.deepEqual(refused(await get('/api/v1/public/games/a%00b')), [400, 4000, false])
  assert.deepEqual(refused(await get('/api/v1/public/games/%zz')), [400, 4000, false])
  assert.deepEqual(refused(await get('/api/v1/public/games/%ff%fe')), [400, 4000, false])
  assert.deepEqual(refused(await get(`/api/v1/public/games/${'x'.repeat(400)}`)), [
    404,
    4040,
    false,
  ])
  assert.deepEqual(refused(await get(`/api/v1/public/games/${'x'.repeat(5000)}`)), [
    404,
    4040,
    false,
  ])
  assert.deepEqual(
    refused(await get(`/api/v1/public/games/${encodeURIComponent("'; drop table users; --")}`)),
    [404, 4040, false],
  )
})

test('no route accepts a NUL in the query of its address, whatever the parameter', async (t) => {
  const { call } = await startApp(t, { PROXY_HOPS: '1' })
  const accepted: string[] = []
  for (const { method, url } of routes) {
    const path = `${url.replaceAll(/:\w+/g, 'x').replace('*', 'x')}?unknown=%00`
    const { status } = await call(method, path, { headers: newAddress() })
    if (status !== 400) accepted.push(`${method} ${url}: ${status}`)
  }
  assert.deepEqual(accepted, [])
})

test('an unsupported method is reported before a malformed body', async (t) => {
  const { call } = await sharedApp(t)
  assert.deepEqual(refused(await call('POST', '/health', { raw: '{broken', headers: json })), [
    405,
    4050,
    false,
  ])
})

test('rejects a body in an unsupported encoding or character set', async (t) => {
  const { post } = await sharedApp(t)
  const raw = JSON.stringify({ login: 'nobody', password: 'x' })
  const send = (headers: Record<string, string>) => post(LOGIN, undefined, { raw, headers })
  assert.deepEqual(refused(await send({ ...json, 'content-encoding': 'gzip' })), [415, 4150, false])
  assert.deepEqual(refused(await send({ 'content-type': 'application/json; charset=utf-16' })), [
    415,
    4150,
    false,
  ])
  assert.deepEqual(
    refused(
      await send({
        'content-type': 'application/json; charset="UTF-8"',
        'content-encoding': 'identity',
      }),
    ),
    [401, 4010, false],
  )
})

/** Writes bytes to a raw socket and returns the whole response. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setEncoding('utf8').on('data', (part) => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}

test('bytes that are not an HTTP request get an answer in the error envelope', async (t) => {
  const { url } = await sharedApp(t)
  const body = (answer: string) => JSON.parse(answer.split('\r\n\r\n')[1]!)
  const nonsense = await raw(url, 'hello there\r\n\r\n')
  assert.match(nonsense, /^HTTP\/1.1 400 /)
  assert.equal(body(nonsense).error.code, 4000)
  const smuggling = await raw(
    url,
    `POST ${LOGIN} HTTP/1.1\r\nHost: x\r\n` +
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  )
  assert.match(smuggling, /^HTTP\/1.1 400 /)
  assert.equal(body(smuggling).success, false)
})

test('rejects a method that no route supports', async (t) => {
  const { url } = await sharedApp(t)
  for (const method of ['PROPFIND', 'TRACE'])
    assert.match(
      await raw(url, `${method} /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1.1 405 .*"code":4050/s,
    )
})

test('rejects 10 MB of headers without reading them to the end', async (t) => {
  const { url } = await sharedApp(t)
  const { hostname, port } = new URL(url)
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /health HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(10 * 1024 * 1024)}\r\n\r\n`,
      ),
    )
    socket.on('data', (part) => {
      text += part
    })
    // The server closes the connection early, which may appear as a reset after the response.
    socket.on('error', () => resolve(text)).on('close', () => resolve(text))
  })
  assert.match(answer, /^HTTP\/1.1 431 /)
  assert.equal(JSON.parse(answer.split('\r\n\r\n')[1]!).error.code, 4000)
})

test('every response has a request id: a valid one of the client, or a new one', async (t) => {
  const { url } = await sharedApp(t)
  const id = async (sent?: string) =>
    (await fetch(`${url}/health`, { headers: sent ? { 'x-request-id': sent } : {} })).headers.get(
      'x-request-id',
    )
  assert.equal(await id('trace-1234.5'), 'trace-1234.5')
  assert.match((await id()) ?? '', /^[0-9a-f-]{36}$/)
  assert.match((await id('"<script>"')) ?? '', /^[0-9a-f-]{36}$/)
  assert.match((await id('x'.repeat(65))) ?? '', /^[0-9a-f-]{36}$/)
})

const Query = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, default: 1 })),
  kind: Type.Optional(OneOf(['mods', 'tools', ''])),
})
const echo = route({
  method: 'GET',
  url: '/echo',
  summary: 'Echo',
  auth: anyone,
  query: Query,
  data: Type.Object({ page: Type.Integer(), kind: Type.Optional(Type.String()) }),
  handle: ({ query }) => ({ ...query, page: query.page ?? 0, hidden: 'never declared' }),
})
const strictBody = route({
  method: 'PUT',
  url: '/body',
  summary: 'Body',
  auth: anyone,
  body: Body({ n: Type.Integer() }),
  data: Type.Object({ n: Type.Integer() }),
  handle: ({ body }) => body,
})
const broken = route({
  method: 'GET',
  url: '/broken',
  summary: 'Breaks',
  auth: anyone,
  limits: [perIp(1)],
  data: Type.Object({}),
  handle: () => {
    throw new Error('a secret detail')
  },
})

test('validates queries, bodies and responses against their schemas', async (t) => {
  const { core } = await sharedApp(t)
  const app = await createServer(core, [echo, strictBody, broken])
  cleanup(t, () => app.close())
  const { get, put } = client(await app.listen({ port: 0, host: '127.0.0.1' }))

  assert.deepEqual(
    (await get('/echo')).body,
    { success: true, data: { page: 1 } },
    'a default is missing or an undeclared field was sent',
  )
  assert.deepEqual(
    (await get('/echo?page=9&kind=mods&utm_source=x')).body.data,
    { page: 9, kind: 'mods' },
    'an unknown query key was refused',
  )
  for (const query of [
    'page=0',
    'page=10',
    'page=x',
    'page=1.5',
    'page=1&page=2',
    'kind=other',
    'kind=mods&kind=tools',
    'page=1%00',
  ]) {
    const answer = await get(`/echo?${query}`)
    assert.deepEqual(refused(answer), [400, 4000, false], query)
    assert.match(answer.body.error.message, /query/, query)
  }
  assert.match((await get('/echo?kind=other')).body.error.message, /mods, tools, \(empty\)/)
  assert.deepEqual((await put('/body', { n: 1 })).body.data, { n: 1 })
  for (const n of ['1', 1.5, null, true])
    assert.deepEqual(
      refused(await put('/body', { n })),
      [400, 4000, false],
      `a body with ${n} was converted`,
    )
})

test('an unexpected error returns 5000 without details, which the log has', async (t) => {
  const { core } = await sharedApp(t)
  const log = t.mock.method(core.log, 'error', () => {})
  const app = await createServer(core, [broken])
  cleanup(t, () => app.close())
  const { get, call } = client(await app.listen({ port: 0, host: '127.0.0.1' }))
  const answer = await call('GET', '/broken', { headers: { 'x-request-id': 'client-1234' } })
  assert.deepEqual(refused(answer), [500, 5000, false])
  assert.doesNotMatch(JSON.stringify(answer), /secret detail/)
  const [line] = log.mock.calls[0]!.arguments as unknown as [{ id: string; err: Error }]
  assert.equal(line.id, 'client-1234')
  assert.match(line.err.message, /secret detail/)
  const second = await get('/broken')
  assert.deepEqual(refused(second), [429, 4290, false])
  assert.equal(second.headers['retry-after'], String(second.body.data.retry_after))
})

test('in tests, an error code that its route does not declare is reported by name', async (t) => {
  const { core } = await sharedApp(t)
  const undeclared = route({
    method: 'GET',
    url: '/sly',
    summary: 'Sly',
    auth: anyone,
    data: Type.Object({}),
    handle: async () =>
      (await import('../../../src/core/runtime/errors.ts')).refuse('INVALID_PARENT'),
  })
  const app = await createServer(core, [undeclared], { strict: true })
  cleanup(t, () => app.close())
  const answer = await client(await app.listen({ port: 0, host: '127.0.0.1' })).get('/sly')
  assert.deepEqual(refused(answer), [500, 5000, false])
  assert.match(answer.body.error.message, /GET \/sly does not declare INVALID_PARENT/)
})

test('unusual requests get answers in the error envelope', async (t) => {
  const { url } = await sharedApp(t)
  const body = (answer: string) => JSON.parse(answer.split('\r\n\r\n')[1]!)
  assert.match(
    await raw(url, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1.1 200 /,
    'a request without Host was refused',
  )
  const expectation = await raw(
    url,
    'GET /health HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
  )
  assert.match(expectation, /^HTTP\/1.1 417 /)
  assert.match(expectation, /"code":4000/)
  const tunnel = await raw(url, 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.match(tunnel, /^HTTP\/1.1 405 /)
  assert.equal(body(tunnel).error.code, 4050)
})

test('a route without a body rejects one unless it is empty', async (t) => {
  const { call, a } = await sharedApp(t)
  const { token } = await a.user()
  const logout = (raw: string) =>
    call('POST', '/api/v1/private/account/email-code', { token, raw, headers: json })
  assert.deepEqual(refused(await logout('{"nope": 1}')), [400, 4000, false])
  assert.deepEqual(refused(await logout('[1]')), [400, 4000, false])
  assert.equal((await logout('')).status, 200, 'a type without a body')
  assert.equal(
    (await call('POST', '/api/v1/private/account/logout', { token, body: {} })).status,
    200,
  )
})

test('rejects a uid with a urn:uuid prefix', async (t) => {
  const { post, a } = await sharedApp(t)
  const { token } = await a.developer()
  const answer = await post(
    '/api/v1/private/account/agent-keys',
    { name: 'x', scopes: ['mcp:read'], game_uid: 'urn:uuid:01a1dd0e-02de-74b2-8cbe-7264478e4856' },
    { token },
  )
  assert.deepEqual(refused(answer), [400, 4000, false])
})

/**
 * Runs a client in a separate process, because the loss of a response to a busy sender cannot be
 * observed within one process.
 */
async function runClient(url: string, code: string): Promise<string> {
  const { execFile } = await import('node:child_process')
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      ['--input-type=module', '-e', `const url = ${JSON.stringify(url)}; ${code}`],
      (error, out) => resolve(error ? String(error) : out),
    ),
  )
}

const sendLargeBody = `
  const answer = await fetch(url + '${LOGIN}', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: 'x'.repeat(10485760),
  }).catch((error) => ({ status: error.cause?.code }))
  console.log(answer.status)`
const sendLargeHeader = `
  import { connect } from 'node:net'
  const { port } = new URL(url)
  let text = ''
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\\r\\nX: ' + 'x'.repeat(10485760)),
  )
  socket
    .on('data', (part) => { text += part; socket.end() })
    .on('error', () => {})
    .on('close', () => console.log(text.slice(9, 12)))`

test('a client that sends 10 MB of body or headers can still read the error', async (t) => {
  const { url } = await sharedApp(t)
  for (let round = 0; round < 5; round++) {
    const body = await runClient(url, sendLargeBody)
    assert.equal(body.trim(), '413')
    const head = await runClient(url, sendLargeHeader)
    assert.equal(head.trim(), '431')
  }
})
