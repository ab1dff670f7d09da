import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { routes } from '../../../src/routes.ts'
import { eventually, startApp } from '../../support/app.ts'
import { startNginx } from '../../support/nginx.ts'
import { needs } from '../../support/system-packages.ts'

type Message = { method: string; headers?: Record<string, string>; body?: Buffer }

const OVERSIZED = Buffer.alloc(1_300_000, 'a')
const bodyHeaders: Record<string, string>[] = [
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
]
/** For routes that read a body by themselves. */
const rawBodyHeaders = [
  ...bodyHeaders,
  { 'content-type': 'application/json' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'multipart/form-data; boundary=x' },
]
const writeRoutes: { method: string; url: string; raw_body?: boolean }[] = [
  ...routes.filter(({ method }) => method !== 'GET'),
  // Addresses without a route, where nginx passes a body on as it arrives.
  { method: 'PUT', url: '/api/v1/tool/upload/files' },
  { method: 'POST', url: '/api/v1/public/bugs/unknown' },
]

/** Sends a message on the one connection of the agent and returns the status of its answer. */
async function send(agent: Agent, url: URL, { method, headers, body }: Message): Promise<number> {
  const outgoing = request(url, { agent, method, headers })
  // Without a length, Node would send the body of a DELETE like another request after it.
  if (body && !outgoing.hasHeader('transfer-encoding'))
    outgoing.setHeader('content-length', body.length)
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode!
}

/**
 * A service, with the credentials for routes that read a body by themselves. Other routes are
 * called without, because some of them would act on a request whose body they do not read.
 */
async function startWithCredentials(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  const { headers } = await app.a.deployer(listing)
  const credentials = {
    ...headers,
    authorization: `Bearer ${owner.token}`,
    'x-app-id': listing.uid,
  }
  return { ...app, listing, credentials }
}
type App = Awaited<ReturnType<typeof startWithCredentials>>

let addresses = 0
/** Every request has an address of its own, because rate limits are not under test here. */
const newAddress = () => {
  addresses++
  return { 'x-forwarded-for': `10.1.${addresses >> 8}.${addresses & 255}` }
}

type Target = { base: string; app: App }

/** The routes after whose refusal the connection could not be used for the next request. */
async function unusableAfterRefusal(t: TestContext, { base, app }: Target) {
  const { listing, credentials } = app
  const unusable: string[] = []
  for (const { method, url, raw_body } of writeRoutes) {
    const path = url.replace(/:(game_uid|game_id)/, listing.uid).replaceAll(/:\w+/g, 'x')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    for (const body_headers of raw_body ? rawBodyHeaders : bodyHeaders)
      try {
        const identity = raw_body ? credentials : {}
        const headers = { ...identity, ...body_headers, ...newAddress() }
        const status = await send(agent, new URL(path, base), { method, headers, body: OVERSIZED })
        assert.ok(status < 500, `answered ${status}`)
        const next = { method: 'GET', headers: newAddress() }
        assert.equal(await send(agent, new URL('/health', base), next), 200)
      } catch (error) {
        const type = body_headers['content-type']
        unusable.push(`${method} ${url} (${type}): ${(error as Error).message}`)
      }
  }
  return unusable
}

test('after any refused body, the next request on the connection is answered', async (t) => {
  const app = await startWithCredentials(t)
  assert.deepEqual(await unusableAfterRefusal(t, { base: app.url, app }), [])
})

test('behind nginx, a refused body does not disturb the next request', async (t) => {
  if (!needs(t, 'nginx')) return
  const app = await startWithCredentials(t)
  const { port } = new URL(app.url)
  const base = await startNginx(t, { api: [port], web: [port], upload: [port] })
  assert.deepEqual(await unusableAfterRefusal(t, { base, app }), [])
})

/** The head of a request without credentials, to a route whose body nginx passes on unbuffered. */
const imageHead = (length: number) =>
  [
    `POST /api/v1/private/games/x/media HTTP/1.1`,
    'host: x',
    'content-type: multipart/form-data; boundary=x',
    `content-length: ${length}`,
    '\r\n',
  ].join('\r\n')

test('behind nginx, a refusal is sent when the whole body has arrived', async (t) => {
  if (!needs(t, 'nginx')) return
  const app = await startWithCredentials(t)
  const { port } = new URL(app.url)
  const base = await startNginx(t, { api: [port], web: [port], upload: [port] })
  const half = 'a'.repeat(1000)
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write(`${imageHead(2 * half.length)}${half}`)
  // An early refusal would arrive before the answers to these.
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  for (let i = 0; i < 20; i++)
    await send(agent, new URL('/health', base), { method: 'GET', headers: newAddress() })
  socket.write(`${half}GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code)
  assert.deepEqual(statuses, ['401', '200'])
})

test('a refusal does not wait for a body that is too long or too slow', async (t) => {
  const { url } = await startWithCredentials(t)
  for (const length of [100_000_000, 1000]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(imageHead(length))
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 401 /)
  }
})

const lines = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

test('a request that names a content type and has no body is answered', async (t) => {
  const { url, listing, credentials } = await startWithCredentials(t)
  const { port } = new URL(url)
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]
  const waiting = new Set<string>()
  for (const { method, url: path, raw_body } of writeRoutes)
    for (const type of types) {
      const head = [
        `${method} ${path.replaceAll(/:\w+/g, listing.uid)} HTTP/1.1`,
        'host: x',
        'connection: close',
        ...lines({ 'content-type': type, ...newAddress(), ...(raw_body ? credentials : {}) }),
      ]
      const socket = connect(Number(port), '127.0.0.1')
      waiting.add(`${head[0]} ${type}`)
      socket.once('data', () => waiting.delete(`${head[0]} ${type}`))
      socket.resume().write(`${head.join('\r\n')}\r\n\r\n`)
    }
  await eventually('an answer to all of them', () => waiting.size === 0).catch(() => {})
  assert.deepEqual([...waiting], [])
})

test('a body that is cut short leaves no open connection behind', async (t) => {
  const { url, listing, credentials } = await startWithCredentials(t)
  const { port } = new URL(url)
  let closed = 0
  for (const { method, url: path } of writeRoutes) {
    const head = [
      `${method} ${path.replaceAll(/:\w+/g, listing.uid)} HTTP/1.1`,
      'host: x',
      'content-type: application/json',
      'content-length: 1000',
      ...lines({ ...newAddress(), ...(path.includes('upload') ? credentials : {}) }),
    ]
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {}).on('close', () => closed++)
    socket.resume().end(`${head.join('\r\n')}\r\n\r\n{"a":`)
  }
  await eventually('every connection to be closed', () => closed === writeRoutes.length)
})
