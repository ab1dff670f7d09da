import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { streamText } from '../../src/catalog/stream-response.ts'
import { anyone, route } from '../../src/core/http/route.ts'
import { createServer } from '../../src/core/http/server.ts'
import { eventually, startApp } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'

const PIECE = 'x'.repeat(1024 * 1024)
const PIECES = 2000

/** A route that would send two gigabytes as fast as they are taken, and what became of it. */
async function spring(t: TestContext) {
  const { core } = await startApp(t)
  const state = { made: 0, ended: false }
  async function* pieces() {
    try {
      for (; state.made < PIECES; state.made++) yield PIECE
    } finally {
      state.ended = true
    }
  }
  const endless = route({
    ...({ method: 'GET', url: '/spring', summary: '', auth: anyone, envelope: false } as const),
    handle: (input) => streamText(input, 'text/plain', pieces()),
  })
  const app = await createServer(core, [endless])
  cleanup(t, () => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { state, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/spring` }
}

async function open(url: string): Promise<IncomingMessage> {
  const asked = request(url)
  asked.end()
  const [response] = await once(asked, 'response')
  return response
}

test('nothing is made for a reader who takes nothing, and one who leaves ends the making', async (t) => {
  const { state, url } = await spring(t)
  const idle = await open(url)
  const before = state.made
  // Another reader is served meanwhile: had the first been read for, all its pieces would be made by the end of this.
  const busy = await open(url)
  for await (const chunk of busy) {
    assert.ok(chunk.length)
    if (state.made > 200) break
  }
  assert.ok(before < 100, `${before} pieces for nobody`)
  assert.ok(state.made < 300, `${state.made} pieces for one reader of 200`)
  idle.destroy()
  busy.destroy()
  await eventually('the making to end', () => state.ended)
  assert.ok(state.made < 400)
})

test('HEAD makes the first piece at most', async (t) => {
  const { state, url } = await spring(t)
  const { status } = await fetch(url, { method: 'HEAD' })
  assert.equal(status, 200)
  assert.ok(state.ended)
  assert.ok(state.made <= 1)
})

test('sixty at once for one address, and one more when one has ended', async (t) => {
  const { url } = await spring(t)
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
  for (const one of [...idle, again]) one.destroy()
})
