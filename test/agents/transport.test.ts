import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerProblem, apiDescriptionOf, operationsOf } from '../core/http/described-api.ts'
import { startApp } from '../support/app.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

test('the tool servers accept only POST', async (t) => {
  const { a, url } = await sharedApp(t)
  const person = await a.developer()
  const keys = {
    '/mcp': await a.key('agent', person, ['mcp:read']),
    '/player': await a.key('player', person, ['player:read']),
  }
  for (const [path, { key }] of Object.entries(keys))
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])
      for (const headers of [
        { accept: 'text/event-stream', authorization: `Bearer ${key}` },
        { accept: 'text/event-stream' },
        { accept: 'text/html' },
      ] as Record<string, string>[]) {
        const answer = await fetch(`${url}${path}`, { method, headers })
        const text = await answer.text()
        assert.deepEqual(
          [answer.status, answer.headers.get('allow')],
          [405, 'POST, OPTIONS'],
          `${method} ${path} ${text.slice(0, 100)}`,
        )
        if (method === 'HEAD') continue
        // Those that the protocol has are answered in its own form.
        const jsonrpc = ['GET', 'DELETE'].includes(method) ? '2.0' : undefined
        const answered = JSON.parse(text)
        assert.deepEqual([answered.jsonrpc, answered.error.code], [jsonrpc, 4050])
      }
  const options = await fetch(`${url}/mcp`, {
    method: 'OPTIONS',
    headers: { origin: 'https://elsewhere.example' },
  })
  assert.deepEqual(
    [options.status, options.headers.get('access-control-allow-methods')],
    [204, 'POST, OPTIONS'],
  )
  assert.match(options.headers.get('access-control-allow-headers')!, /Mcp-Protocol-Version/i)
})

test('a message that is refused gets a JSON-RPC error', async (t) => {
  const { a, call } = await sharedApp(t)
  const person = await a.developer()
  const keys = {
    '/mcp': await a.key('agent', person, ['mcp:read']),
    '/player': await a.key('player', person, ['player:read']),
  }
  const accept = 'application/json, text/event-stream'
  const plain = { 'content-type': 'text/plain', accept }
  const json = { 'content-type': 'application/json', accept }
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })
  for (const [path, { key: token }] of Object.entries(keys)) {
    const other = keys[path === '/mcp' ? '/player' : '/mcp']
    const send = (raw: string, headers: Record<string, string> = json, query = '') =>
      call('POST', `${path}${query}`, { raw, headers, token })
    const cases = [
      ['not JSON', await send('{'), 400, -32700, 4000],
      ['an empty body', await send(''), 400, -32700, 4000],
      ['no body', await call('POST', path, { headers: { accept }, token }), 400, -32700, 4000],
      ['a NUL character', await send(ping.replace('ping', '\\u0000')), 400, -32600, 4000],
      ['an address with NUL', await send(ping, json, '?x=%00'), 400, -32600, 4000],
      ['a batch', await send(`[${ping}]`), 400, -32600, 4000],
      ['too large', await send(`"${'x'.repeat(2 * 1024 * 1024)}"`), 413, -32600, 4130],
      ['another type', await send(ping, plain), 415, -32600, 4150],
    ] as const
    for (const [name, { status, body }, expected, code, service_code] of cases) {
      assert.deepEqual(
        [status, body.jsonrpc, body.id, body.error?.code, body.error?.data],
        [expected, '2.0', null, code, { code: service_code }],
        `${path}: ${name}: ${JSON.stringify(body)}`,
      )
      assert.ok(body.error.message, name)
    }
    const no_messages = [
      ...['null', '{}', '"x"', '5'],
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    ]
    // The protocol itself refuses these, so the error has no code of the API.
    const refusals = [
      ...(await Promise.all(no_messages.map((raw) => send(raw)))).map(
        (answer, i) => [no_messages[i], answer, 400, -32600] as const,
      ),
      [
        'another Accept',
        await send(ping, { ...json, accept: 'application/json' }),
        406,
        -32000,
      ] as const,
      [
        'an unknown version',
        await send(ping, { ...json, 'mcp-protocol-version': '1999-01-01' }),
        400,
        -32000,
      ] as const,
    ]
    for (const [name, { status, body }, expected, code] of refusals)
      assert.deepEqual(
        [status, body.jsonrpc, body.error?.code, body.error?.data],
        [expected, '2.0', code, undefined],
        `${path}: ${name}: ${JSON.stringify(body)}`,
      )
    const notification = await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert.deepEqual(
      [notification.status, notification.headers['content-type']],
      [202, undefined],
      'a notification has an answer without a body',
    )
    const anonymous = await call('POST', path, { raw: ping, headers: json })
    const wrong_kind = await call('POST', path, { raw: ping, headers: json, token: other.key })
    for (const [answer, expected, code] of [
      [anonymous, 401, 4010],
      [wrong_kind, 403, 4033],
    ] as const) {
      const { message, ...error } = answer.body.error
      assert.deepEqual(
        [answer.status, { ...answer.body, error }],
        [expected, { jsonrpc: '2.0', id: null, error: { code, data: { code } } }],
      )
      assert.ok(message)
    }
    assert.match(anonymous.headers['www-authenticate']!, /^Bearer .*resource_metadata=/)
    const { status, body } = await send(ping)
    // The library answers a message that it accepts as an event stream.
    assert.equal(status, 200)
    assert.match(typeof body === 'string' ? body : JSON.stringify(body), /"id":7/)
  }
})

test('every answer of the tool servers is documented', async (t) => {
  const { a, call, get } = await sharedApp(t)
  const person = await a.developer()
  const keys = {
    '/mcp': await a.key('agent', person, ['mcp:read']),
    '/player': await a.key('player', person, ['player:read']),
  }
  const operations = operationsOf(await apiDescriptionOf({ get }, 'private'))
  const accept = 'application/json, text/event-stream'
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const requests: [object, Record<string, string>, number, string][] = [
    [list, {}, 200, 'text/event-stream'],
    [list, { 'mcp-protocol-version': '2025-06-18' }, 200, 'text/event-stream'],
    [list, { 'mcp-protocol-version': '2025-11-25' }, 200, 'text/event-stream'],
    [
      { ...list, params: { _meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
      200,
      'application/json',
    ],
    [list, { 'mcp-protocol-version': '1999-01-01' }, 400, 'application/json'],
    [list, { accept: 'application/json' }, 406, 'application/json'],
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }, {}, 202, ''],
  ]
  for (const [path, { key: token }] of Object.entries(keys))
    for (const [body, headers, status, type] of requests) {
      const answer = await call('POST', path, { body, headers: { accept, ...headers }, token })
      const described = operations.find((operation) => operation.path === path)!
      assert.deepEqual(
        [
          answer.status,
          answer.headers['content-type']?.split(';')[0] ?? '',
          answerProblem(described, status, answer),
        ],
        [status, type, undefined],
        `${path} ${JSON.stringify(headers)}`,
      )
    }
})
