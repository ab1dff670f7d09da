import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import type { ServerOptions } from '../../../src/core/http/server.ts'
import { MIB } from '../../../src/core/runtime/units.ts'
import { routes } from '../../../src/routes.ts'
import { eventually, startApp } from '../../support/app.ts'
import { chooseCases } from '../../support/loop-count.ts'
import { startNginx } from '../../support/programs/nginx.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'

const sharedApp = sharedInFile((t) => startWithCredentials(t))
/** Waits only a short time for the bodies of requests. */
const sharedImpatientApp = sharedInFile((t) => startWithCredentials(t, shortTimes))

type Headers = Record<string, string>
type Message = { method: string; headers?: Headers; bytes?: number }
type WriteRoute = { method: string; url: string; raw_body?: boolean; body?: unknown }
type Case = Required<Message> & { url: string }

const TOO_LONG = 1_300_000
/** More than the service reads of a refused body before it closes the connection. */
const HUGE = 80 * MIB
const BLOCK = Buffer.alloc(MIB, 'a')
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const chunked = { ...json, 'transfer-encoding': 'chunked' }
/** For routes that read a body by themselves. */
const rawTypes: Headers[] = [
  form,
  chunked,
  json,
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'multipart/form-data; boundary=x' },
]
const withoutRoute: WriteRoute[] = [
  // Addresses without a route, where nginx passes a body on as it arrives.
  { method: 'PUT', url: '/api/v1/tool/upload/files' },
  { method: 'POST', url: '/api/v1/public/bugs/unknown' },
  // A name longer than any, which the router refuses before a route is found.
  { method: 'POST', url: `/api/v1/private/games/${'a'.repeat(600)}/media` },
]
const writeRoutes: WriteRoute[] = [
  ...routes.filter(({ method }) => method !== 'GET'),
  ...withoutRoute,
]
const isSpecial = (route: WriteRoute) => route.raw_body || withoutRoute.includes(route)

function* blocks(bytes: number) {
  for (let left = bytes; left > 0; left -= BLOCK.length) yield BLOCK.subarray(0, left)
}

/** Sends a message on the one connection of the agent and reads its answer. */
async function send(agent: Agent, url: URL, { method, headers, bytes = 0 }: Message) {
  const outgoing = request(url, { agent, method, headers })
  // Without a length, Node would send the body of a DELETE like another request after it.
  if (bytes && !outgoing.hasHeader('transfer-encoding')) outgoing.setHeader('content-length', bytes)
  if (!bytes) outgoing.end()
  // A client that is told that the connection closes need not send the rest.
  else void pipeline(Readable.from(blocks(bytes)), outgoing).catch(() => {})
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return { status: answer.statusCode!, headers: answer.headers, outgoing }
}

/** A service, with the credentials for routes that read a body. */
async function startWithCredentials(t: TestContext, options?: ServerOptions) {
  const app = await startApp(t, { PROXY_HOPS: '1' }, options)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  const { headers } = await app.a.deployer(listing)
  const credentials: Headers = {
    ...headers,
    authorization: `Bearer ${owner.token}`,
    'x-app-id': listing.uid,
  }
  return { ...app, listing, credentials }
}
type App = Awaited<ReturnType<typeof startWithCredentials>>

async function startBehindNginx(t: TestContext, app: App, body_seconds?: number) {
  const { port } = new URL(app.url)
  return startNginx(t, { api: [port], web: [port], upload: [port] }, { body_seconds })
}

let addresses = 0
/** Every request has an address of its own, because rate limits are not under test here. */
const newAddress = () => {
  addresses++
  return { 'x-forwarded-for': `10.1.${addresses >> 8}.${addresses & 255}` }
}

const pathOf = ({ listing }: App, url: string) =>
  url.replace(/:(game_uid|game_id)/, listing.uid).replaceAll(/:\w+/g, 'x')

/**
 * Bodies that are too long for every route. Routes that read a body are called with credentials as
 * well; the others are not, because some of them would act on a request whose body they ignore.
 */
const longBodies = ({ credentials }: App, targets: WriteRoute[]): Case[] =>
  targets.flatMap(({ method, url, raw_body, body }) =>
    [form, ...(raw_body ? rawTypes : body ? [chunked] : [])].map((type, i) => ({
      method,
      url,
      headers: { ...(i > 0 && credentials), ...type },
      bytes: TOO_LONG,
    })),
  )

/** Those of routes that read a body by themselves, and some of the others. */
function someLongBodies(t: TestContext, app: App): Case[] {
  const special = longBodies(app, writeRoutes.filter(isSpecial))
  const others = longBodies(
    app,
    writeRoutes.filter((route) => !isSpecial(route)),
  )
  return [...special, ...chooseCases(t, others, 100)]
}

/** Bodies of which the service does not read the rest. */
const hugeBodies = ({ credentials }: App): Case[] => {
  const declared = writeRoutes
    .filter(({ url, raw_body }) => raw_body || /events|unknown|oauth|mcp/.test(url))
    .flatMap(({ method, url }) => [
      { method, url, headers: json, bytes: HUGE },
      { method, url, headers: { ...credentials, ...json }, bytes: HUGE },
    ])
  const undeclared = ['/oauth/token', '/api/v1/tool/upload/files', '/api/v1/public/events'].map(
    (url) => ({ method: 'POST', url, headers: chunked, bytes: HUGE }),
  )
  return [...declared, ...undeclared]
}

/** Runs every case, several at a time. */
async function forEachCase<Item>(cases: Item[], run: (item: Item) => Promise<void>) {
  const left = [...cases]
  const worker = async () => {
    for (let item = left.pop(); item; item = left.pop()) await run(item)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

type Target = { base: string; app: App }
type Check = (first: Awaited<ReturnType<typeof send>>, next: ClientRequest) => void

/** The cases after which the next request was not answered on the connection, or not at all. */
async function failuresAfter(t: TestContext, { base, app }: Target, cases: Case[], check: Check) {
  const failures: string[] = []
  await forEachCase(cases, async ({ method, url, headers, bytes }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    try {
      const message = { method, bytes, headers: { ...headers, ...newAddress() } }
      const first = await send(agent, new URL(pathOf(app, url), base), message)
      assert.ok(first.status < 500, `answered ${first.status}`)
      const next = { method: 'GET', headers: newAddress() }
      const { status, outgoing } = await send(agent, new URL('/health', base), next)
      assert.equal(status, 200)
      check(first, outgoing)
    } catch (error) {
      const kind = `${headers['content-type']}, ${headers.authorization ? 'known' : 'unknown'}`
      failures.push(`${method} ${url} (${kind}): ${(error as Error).message}`)
    }
    agent.destroy()
  })
  return failures.sort()
}

const keepsConnection: Check = ({ headers }, next) => {
  assert.notEqual(headers.connection, 'close')
  assert.ok(next.reusedSocket, 'the connection was closed')
}
const saysClose = ({ connection }: IncomingHttpHeaders) => /\bclose\b/.test(connection ?? '')
/** A connection is kept, or the answer said that it is closed. */
const announcesClose: Check = ({ headers }, next) =>
  assert.equal(next.reusedSocket, !saysClose(headers), `connection: ${headers.connection}`)

test('after a refused body, the next request on the connection is answered', async (t) => {
  const app = await sharedApp(t)
  const target = { base: app.url, app }
  assert.deepEqual(await failuresAfter(t, target, someLongBodies(t, app), keepsConnection), [])
})

test('behind nginx, a refused body does not disturb the next request', async (t) => {
  if (!needs(t, 'nginx')) return
  const app = await sharedApp(t)
  const target = { base: await startBehindNginx(t, app), app }
  assert.deepEqual(await failuresAfter(t, target, someLongBodies(t, app), keepsConnection), [])
})

test('the answer to a huge body says that the connection is closed, and is read', async (t) => {
  const app = await sharedApp(t)
  const target = { base: app.url, app }
  const [early, late] = Map.groupBy(hugeBodies(app), ({ headers }) => !headers.authorization)
    .values()
    .toArray()
  const closes: Check = (first, next) => {
    assert.equal(first.headers.connection, 'close')
    announcesClose(first, next)
  }
  assert.deepEqual(await failuresAfter(t, target, early!, closes), [])
  assert.deepEqual(await failuresAfter(t, target, late!, announcesClose), [])
})

test('behind nginx, a huge body is answered, and so is the next request', async (t) => {
  if (!needs(t, 'nginx')) return
  const app = await sharedApp(t)
  const target = { base: await startBehindNginx(t, app), app }
  const cases = hugeBodies(app).filter(({ url }) => /media|files|bugs|token/.test(url))
  assert.deepEqual(await failuresAfter(t, target, cases, announcesClose), [])
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
  const app = await sharedApp(t)
  const base = await startBehindNginx(t, app)
  const half = 'a'.repeat(1000)
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write(`${imageHead(2 * half.length)}${half}`)
  // An early refusal would arrive before the answers to these.
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  for (let i = 0; i < 20; i++)
    await send(agent, new URL('/health', base), { method: 'GET', headers: newAddress() })
  socket.write(`${half}GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  assert.deepEqual(statusesOf(await text(socket)), ['401', '200'])
})

const statusesOf = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code)

test('a refusal does not wait for a body that is too long or too slow', async (t) => {
  const { url } = await sharedApp(t)
  for (const length of [100_000_000, 1000]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(imageHead(length))
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 401 .*^connection: close/ims)
  }
})

test('a request that no route sees does not hold its connection', async (t) => {
  const { url } = await sharedImpatientApp(t)
  const heads = [
    ['POST /%zz HTTP/1.1', 'host: x'],
    ['POST http://[bad HTTP/1.1', 'host: x'],
    ['POST /oauth/token HTTP/1.1', 'host: x', 'expect: something'],
  ]
  for (const head of heads) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(`${[...head, 'content-length: 1000'].join('\r\n')}\r\n\r\na`)
    assert.match(await text(socket), /^HTTP\/1\.1 4\d\d .*^connection: close/ims, head[0])
  }
})

test('a request behind an answer that closes the connection is not processed', async (t) => {
  const { url, a, get } = await sharedApp(t)
  const { token } = await a.verified()
  const { port } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  const answer = text(socket)
  const refused = `POST /api/v1/private/nothing HTTP/1.1\r\nhost: x\r\ncontent-length: ${HUGE}`
  const logout = `POST /api/v1/private/account/logout HTTP/1.1\r\nhost: x\r\ncontent-length: 0`
  const requests = function* () {
    yield `${refused}\r\n\r\n`
    yield* blocks(HUGE)
    yield `${logout}\r\nauthorization: Bearer ${token}\r\n\r\n`
  }
  await pipeline(Readable.from(requests()), socket)
  assert.deepEqual(statusesOf(await answer), ['404'])
  assert.equal((await get('/api/v1/private/account', { token })).status, 200)
})

const lines = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

test('a request that names a content type and has no body is answered', async (t) => {
  const { url, listing, credentials } = await sharedApp(t)
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

/** Sends a part of a body to every route and returns what each one answers until it closes. */
async function answersToPart(
  t: TestContext,
  { base, app }: Target,
  ends: 'cut short' | 'too slow',
) {
  const answers = new Map<string, string>()
  const { port } = new URL(base)
  const calls = writeRoutes.map(async ({ method, url, raw_body, body }) => {
    const identity = raw_body || body ? app.credentials : {}
    const head = [
      `${method} ${pathOf(app, url)} HTTP/1.1`,
      'host: x',
      'content-length: 1000',
      ...lines({ ...json, ...newAddress(), ...identity }),
    ]
    const socket = connect(Number(port), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(`${head.join('\r\n')}\r\n\r\n{"a":`)
    if (ends === 'cut short') socket.end()
    const answer = await text(socket).catch(({ code }) => `failed: ${code}`)
    answers.set(`${method} ${url}`, answer)
  })
  await Promise.all(calls)
  return answers
}

const shortTimes = { body_seconds: { receive: 1, rest: 0.5 } }

/** The routes whose answer is not a refusal that announces the end of the connection. */
const unannounced = (answers: Map<string, string>) =>
  [...answers].filter(([, answer]) => !/^HTTP\/1\.1 4\d\d .*^connection: close/ims.test(answer))

test('a body that is too slow gets an answer that closes the connection', async (t) => {
  const app = await sharedImpatientApp(t)
  const answers = await answersToPart(t, { base: app.url, app }, 'too slow')
  assert.equal(answers.size, new Set(writeRoutes.map(({ method, url }) => method + url)).size)
  assert.deepEqual(unannounced(answers), [])
  assert.equal((await app.get('/health')).status, 200)
})

test('behind nginx, a body that is too slow does not disturb other requests', async (t) => {
  if (!needs(t, 'nginx')) return
  const app = await sharedImpatientApp(t)
  const base = await startBehindNginx(t, app, 3)
  const answers = await answersToPart(t, { base, app }, 'too slow')
  // nginx itself waits for the body where it does not pass it on, and closes without an answer.
  const failed = [...answers].filter(([, answer]) => !/^(HTTP\/1\.1 4\d\d |$)/.test(answer))
  assert.deepEqual(failed, [])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  for (let i = 0; i < 100; i++) {
    const next = await send(agent, new URL('/health', base), { method: 'GET' })
    assert.equal(next.status, 200)
  }
})

test('a body that is cut short leaves no open connection behind', async (t) => {
  const app = await sharedApp(t)
  const bases = [app.url]
  if (needs(t, 'nginx')) bases.push(await startBehindNginx(t, app))
  for (const base of bases) {
    const answers = await answersToPart(t, { base, app }, 'cut short')
    const failed = [...answers].filter(([, answer]) => !/^(HTTP\/1\.1 4\d\d |$)/.test(answer))
    assert.deepEqual(failed, [])
    assert.equal((await fetch(new URL('/health', base))).status, 200)
  }
})
