import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { newAddress } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { EVENTS, idsOf, startTelemetryApp } from '../../telemetry/fixtures.ts'

const sharedApp = sharedInFile(startTelemetryApp)

type Sent = { body: string | Buffer; headers?: Record<string, string>; chunked?: boolean }

async function send(url: string, { body, headers = {}, chunked = false }: Sent, path = EVENTS) {
  const length = chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = request(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...newAddress(), ...length },
  })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _time,
    'x-request-id': id,
    ...stable_headers
  } = answer.headers
  return { id, answer: { status: answer.statusCode, headers: stable_headers, text } }
}

test('a JSON body of known length and a chunked one get the same answer, valid or not', async (t) => {
  const { url, a, build } = await sharedApp(t)
  const ids = idsOf(await build(await a.listing()))
  const events = (...some: unknown[]) => JSON.stringify({ events: some })
  const bodies: (string | Buffer)[] = [
    events({ event: 'quit' }),
    events(),
    events({ event: 'boot_ok' }),
    events(...Array.from({ length: 101 }, () => ({ event: 'tick' }))),
    events('nothing'),
    '{"events":{}}',
    '{"events":null}',
    '{}',
    '[]',
    'null',
    '5',
    '{"events":[',
    '\ufeff{"events":[]}',
    '{"events":[{"event":"a\\u0000"}]}',
    '{"events":[{"event":"\\ud800"}]}',
    '{"events":[{"event":"tick","__proto__":{"a":1}}]}',
    '{"events":[{"event":"tick","\\u005f_proto__":{"a":1}}]}',
    '{"events":[{"event":"tick","constructor":{"prototype":{"a":1}}}]}',
    '{"events":[{"event":"constructor"}]}',
    Buffer.from([0x7b, 0xff, 0x7d]),
  ]
  for (const body of bodies)
    for (const headers of [ids, { 'x-app-id': ids['x-app-id']!, 'x-build-id': 'x' }, {}]) {
      const known = await send(url, { body, headers })
      const chunked = await send(url, { body, headers, chunked: true })
      assert.deepEqual(known.answer, chunked.answer, String(body))
      assert.match(known.id as string, /^[0-9a-f-]{36}$/)
    }
})

test('keys that pollute prototypes are rejected in any spelling, and accepted as values', async (t) => {
  const { url, a, build } = await sharedApp(t)
  const headers = idsOf(await build(await a.listing()))
  const status = async (event: string) =>
    (await send(url, { body: `{"events":[${event}]}`, headers })).answer.status
  assert.equal(await status('{"event":"tick","__proto__":{"a":1}}'), 400)
  assert.equal(await status('{"event":"tick","\\u005f_proto__":{"a":1}}'), 400)
  assert.equal(await status('{"event":"tick","constructor":{"prototype":{"a":1}}}'), 400)
  assert.equal(await status('{"event":"tick","c\\u006fnstructor":{"prototype":{"a":1}}}'), 400)
  assert.equal(await status('{"event":"__proto__","metadata":{"of":"constructor"}}'), 202)
})

test("an answer carries the client's request id and the standard headers", async (t) => {
  const { url, a, build } = await sharedApp(t)
  const ids = idsOf(await build(await a.listing()))
  const body = '{"events":[{"event":"quit"}]}'
  const headers = { ...ids, 'x-request-id': 'client-1234' }
  const { id, answer } = await send(url, { body, headers })
  assert.deepEqual(
    [id, answer.status, answer.text],
    ['client-1234', 202, '{"success":true,"data":{"accepted":1}}'],
  )
  assert.deepEqual(
    [
      answer.headers['x-content-type-options'],
      answer.headers['cache-control'],
      answer.headers['content-type'],
    ],
    ['nosniff', 'no-cache', 'application/json; charset=utf-8'],
  )
})

test('other types get 415 and more than 1 MB gets 413; a query string is ignored', async (t) => {
  const { url, a, build } = await sharedApp(t)
  const ids = idsOf(await build(await a.listing()))
  const body = '{"events":[{"event":"quit"}]}'
  const status = async (sent: Sent, path?: string) => (await send(url, sent, path)).answer.status
  assert.equal(await status({ body, headers: { ...ids, 'content-type': 'text/plain' } }), 415)
  assert.equal(
    await status({ body, headers: { ...ids, 'content-type': 'application/json; charset=latin1' } }),
    415,
  )
  assert.equal(await status({ body, headers: { ...ids, 'content-encoding': 'gzip' } }), 415)
  assert.equal(
    await status({ body, headers: { ...ids, 'content-type': 'application/json; charset=UTF-8' } }),
    202,
  )
  assert.equal(await status({ body, headers: ids }, `${EVENTS}?a=1`), 202)
  const padding = 1024 * 1024 - '{"events":[]}'.length
  assert.equal(await status({ body: `{"events":[]}${' '.repeat(padding)}`, headers: ids }), 202)
  assert.equal(await status({ body: `{"events":[]}${' '.repeat(padding + 1)}`, headers: ids }), 413)
})

test('a body sent byte by byte is read, and one whose connection closes early is dropped', async (t) => {
  const { url, a, build, stored } = await startTelemetryApp(t)
  const ids = idsOf(await build(await a.listing()))
  const body = Buffer.from('{"events":[{"event":"tick","metadata":{"sign":"é€"}}]}')
  const head = Object.entries({
    host: 'x',
    'content-type': 'application/json',
    'content-length': body.length,
    ...ids,
    ...newAddress(),
  })
  const open = async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.setNoDelay(true)
    socket.write(
      `POST ${EVENTS} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`,
    )
    return socket
  }
  const gone = await open()
  gone.write(body.subarray(0, 20))
  gone.destroy()
  const slow = await open()
  for (const byte of body) await new Promise((written) => slow.write(Buffer.from([byte]), written))
  const [answer] = (await once(slow, 'data')) as [Buffer]
  slow.destroy()
  assert.match(String(answer), /^HTTP\/1.1 202 /)
  const rows = await stored()
  assert.deepEqual(
    rows.map(({ metadata }) => metadata),
    [{ sign: 'é€' }],
  )
})
