import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { streamText } from '../../src/catalog/stream-response.ts'
import { anyone, route } from '../../src/core/http/route.ts'
import { createServer } from '../../src/core/http/server.ts'
import { eventually, startApp } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'

const CHUNK = 'x'.repeat(1024 * 1024)
const CHUNKS = 2000

/** A route that streams up to two gigabytes, and how much of it was generated. */
async function startEndlessRoute(t: TestContext) {
  const { core } = await startApp(t)
  const state = { made: 0, ended: false }
  async function* chunks() {
    try {
      for (; state.made < CHUNKS; state.made++) yield CHUNK
    } finally {
      state.ended = true
    }
  }
  const endless = route({
    method: 'GET',
    url: '/endless',
    summary: '',
    auth: anyone,
    envelope: false,
    handle: (input) => streamText(input, 'text/plain', chunks()),
  })
  const app = await createServer(core, [endless])
  cleanup(t, () => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { state, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/endless` }
}

async function open(url: string): Promise<IncomingMessage> {
  const outgoing = request(url)
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  return response
}

test('generates nothing for an idle client, and stops when a client disconnects', async (t) => {
  const { state, url } = await startEndlessRoute(t)
  const idle = await open(url)
  const before = state.made
  // Serve another client meanwhile. Without backpressure, all chunks of the idle one would exist by
  // the end of this.
  const busy = await open(url)
  for await (const chunk of busy) {
    assert.ok(chunk.length)
    if (state.made > 200) break
  }
  assert.ok(before < 100, `${before} chunks for an idle client`)
  assert.ok(state.made < 300, `${state.made} chunks for a client that read 200`)
  idle.destroy()
  busy.destroy()
  await eventually('the generator to end', () => state.ended)
  assert.ok(state.made < 400)
})

test('a client that hangs up before the answer begins is not logged as an error', async (t) => {
  const { core } = await startApp(t)
  const errors: unknown[] = []
  const log = { ...core.log, error: (fields: unknown) => void errors.push(fields), debug: () => {} }
  const state = { requests: 0, answered: 0 }
  const slow = route({
    method: 'GET',
    url: '/slow',
    summary: '',
    auth: anyone,
    envelope: false,
    async handle({ reply }) {
      state.requests++
      await once(reply.raw, 'close')
      const body = Readable.from(['too late'])
      body.once('close', () => state.answered++)
      return reply.send(body)
    },
  })
  const failing = route({
    ...slow,
    url: '/failing',
    handle: ({ reply }) => reply.send(Readable.from(failingSource())),
  })
  const app = await createServer({ ...core, log: log as never }, [slow, failing])
  cleanup(t, () => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const outgoing = request(`${origin}/slow`)
  outgoing.on('error', () => {})
  outgoing.end()
  await eventually('the request', () => state.requests > 0)
  outgoing.destroy()
  await eventually('the end of the answer', () => state.answered > 0)
  assert.equal((await fetch(`${origin}/failing`)).status, 500)
  assert.deepEqual(
    errors.map((fields) => (fields as { err: Error }).err.message),
    ['the disk ended early'],
  )
})

/** Ends as a file on a broken disk does, while the client waits. */
async function* failingSource(): AsyncGenerator<string> {
  yield* []
  throw Object.assign(new Error('the disk ended early'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
}

test('HEAD generates at most the first chunk', async (t) => {
  const { state, url } = await startEndlessRoute(t)
  const { status } = await fetch(url, { method: 'HEAD' })
  assert.equal(status, 200)
  assert.ok(state.ended)
  assert.ok(state.made <= 1)
})

test('limits an address to 60 open streams, and accepts another after one ends', async (t) => {
  const { url } = await startEndlessRoute(t)
  const idle = await Promise.all(Array.from({ length: 60 }, () => open(url)))
  const { status, body } = await fetch(url).then(async (answer) => ({
    status: answer.status,
    body: await answer.json(),
  }))
  assert.deepEqual([status, (body as any).error.code], [429, 4290])
  idle.pop()!.destroy()
  const again = await eventually('a free place', async () => {
    const next = await open(url)
    if (next.statusCode === 200) return next
    next.resume()
    return undefined
  })
  for (const response of [...idle, again]) response.destroy()
})
