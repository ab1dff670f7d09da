import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, eventually, temporaryFolder } from '../support/app.ts'
import { type Listing, must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { listen } from '../support/listen.ts'
import { IS_FULL_RUN, loopCount } from '../support/loop-count.ts'
import { startNginx } from '../support/programs/nginx.ts'
import { needs } from '../support/system-packages.ts'
import { fieldsOf, form } from '../uploads/forms.ts'
import { startTwo } from './two-processes.ts'

const ZERO = '00000000-0000-7000-8000-000000000000'
const ROUNDS = loopCount({ short: 1, full: 10 })
/** How many times over the cores are busy in a full run. */
const OVERLOAD = 4

/** Uses a new connection per request, because nginx may close an idle one during a write. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!))
    })
    sent.once('error', reject).end(body)
  })
}

const CHUNK = 64 * 1024
const BUILD_SIZE = 4 * 1024 ** 3
const CHUNK_DELAY_MS = 100
/** Between the requests of a sender in a short run, which leaves other tests the machine. */
const PAUSE_MS = 50

type Ci = { headers: Record<string, string> }

/**
 * Uploads a build of four gigabytes in small chunks over a slow connection, so that it never
 * completes during a test.
 */
async function chunks({ post, call }: Client, url: string, ci: Ci) {
  const { build_id } = must(await post('/api/v1/tool/upload/build', { version: '1' }, ci))
  const fields = {
    build_id,
    filename: 'game.zip',
    total_size: String(BUILD_SIZE),
    checksum: '0'.repeat(64),
  }
  const opened = await call('POST', '/api/v1/tool/upload/sessions', form(fieldsOf(fields), ci))
  const session = must(opened).session_id as string
  const { raw, headers } = form(
    [{ name: 'file', filename: 'game.zip', bytes: Buffer.alloc(CHUNK) }],
    {
      headers: { ...ci.headers, 'x-upload-session-id': session },
    },
  )
  let at = 0
  return async () => {
    await pause(CHUNK_DELAY_MS)
    const range = { 'content-range': `bytes ${at}-${at + CHUNK - 1}/${BUILD_SIZE}` }
    const status = await send(
      `${url}/api/v1/tool/upload/files`,
      'POST',
      { ...headers, ...range },
      Buffer.from(raw!),
    )
    if (status === 202) at += CHUNK
    return status
  }
}

/** Sends all kinds of requests concurrently until stopped, and counts the responses by kind. */
function load(url: string, game: Listing, ci: Ci, nextChunk: () => Promise<number>) {
  const page = `${url}/api/v1/private/games/${game.uid}`
  const owner = { authorization: `Bearer ${game.owner.token}` }
  const json = { 'content-type': 'application/json' }
  const sendJson = (method: string, to: string, body: object) =>
    send(to, method, { ...owner, ...json }, Buffer.from(JSON.stringify(body)))
  const unknown_session = form([{ name: 'file', filename: 'x', bytes: Buffer.alloc(100_000) }], {
    headers: { ...ci.headers, 'x-upload-session-id': ZERO },
  })
  const single: Record<string, () => Promise<number>> = { 'chunk 202': nextChunk }
  const kinds: Record<string, () => Promise<number>> = {
    ...single,
    'read 200': () => send(page, 'GET', owner),
    'page 200': () => send(`${url}/`, 'GET', { accept: 'text/html' }),
    'edit 200': () => sendJson('PATCH', page, { tagline: `line ${Math.random()}` }),
    'write 400': () =>
      sendJson('POST', `${url}/api/v1/private/account/verify-email`, { code: '000000' }),
    'upload 403': () =>
      send(
        `${url}/api/v1/tool/upload/files`,
        'POST',
        unknown_session.headers!,
        Buffer.from(unknown_session.raw!),
      ),
  }
  const seen: Record<string, number> = {}
  let busy = true
  const senders = Object.entries(kinds).flatMap(([kind, request]) =>
    (kind in single ? [1] : [1, 2]).map(async () => {
      while (busy) {
        const outcome = `${kind.split(' ')[0]} ${await request().catch(String)}`
        seen[outcome] = (seen[outcome] ?? 0) + 1
        if (!IS_FULL_RUN) await pause(PAUSE_MS)
      }
    }),
  )
  return {
    seen,
    kinds: Object.keys(kinds),
    total: () => Object.values(seen).reduce((sum, n) => sum + n, 0),
    async end() {
      busy = false
      await Promise.all(senders)
    },
  }
}

/** Programs that keep every core busy several times over; the scheduler takes turns. */
function overload(t: TestContext) {
  for (let i = 0; i < OVERLOAD * availableParallelism(); i++) {
    const burner = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    cleanup(t, () => burner.kill('SIGKILL'))
  }
}

test('behind nginx, restarting two processes in turn under load fails no request', {
  timeout: 7_200_000,
}, async (t) => {
  if (!needs(t, 'nginx')) return
  const { first, second, a } = await startTwo(t, { PROXY_HOPS: '1', DRAIN_SECONDS: '8' })
  const game = await a.listing()
  const uploading = await a.listing({ owner: await a.verifiedDeveloper() })
  const ci = await a.deployer(game)
  const ports = [first.env.PORT, second.env.PORT]
  const folder = temporaryFolder(t)
  const error_log = join(folder, 'error.log')
  const url = await startNginx(t, { api: ports, web: ports, upload: ports }, { error_log })
  if (IS_FULL_RUN) overload(t)
  const { seen, kinds, total, end } = load(
    url,
    game,
    ci,
    await chunks(first.http, url, await a.deployer(uploading)),
  )
  for (let round = 0; round < ROUNDS; round++)
    for (const stopping of [first, second]) {
      const before = total()
      stopping.child.signal('SIGTERM')
      await eventually('the drain', async () => (await stopping.http.get('/ready')).status === 503)
      assert.equal(
        (await stopping.http.get('/health')).status,
        200,
        'a draining process does not serve',
      )
      await eventually('the exit', () => !stopping.child.isUp())
      await stopping.child.start()
      await eventually('readiness', async () => (await stopping.http.get('/ready')).status === 200)
      await eventually('more requests', () => total() > before + 20)
    }
  await end()
  t.diagnostic(`${2 * ROUNDS} restarts, ${total()} requests, ${JSON.stringify(seen)}`)
  assert.deepEqual(
    Object.keys(seen).sort(),
    kinds.sort(),
    `${JSON.stringify(seen)}\n${readFileSync(error_log, 'utf8').slice(-20_000)}`,
  )
})

/** In how many uploads in a row none may reach a process for it to count as unused. */
const UNUSED_AFTER = 30

test('behind nginx, a process that returns mirrored reads gets no more uploads', async (t) => {
  if (!needs(t, 'nginx')) return
  let uploads_of_stopping = 0
  const stopping = createServer((request, response) => {
    const is_returned = request.method === 'GET' && request.headers['x-passes-on'] === 'reads'
    if (request.method === 'POST') uploads_of_stopping++
    request.resume().once('end', () => response.writeHead(is_returned ? 504 : 202).end())
  })
  const serving = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(202).end())
  })
  const ports = [String(await listen(t, stopping)), String(await listen(t, serving))]
  const url = await startNginx(t, { api: ports, web: [ports[1]!], upload: ports })
  const upload = () => send(`${url}/api/v1/tool/upload/files`, 'POST', {}, Buffer.from('zip'))
  await eventually('an upload at each process', async () => {
    assert.equal(await upload(), 202)
    return uploads_of_stopping > 0
  })
  // After two seconds nginx tries the process again, so this can take more than one attempt.
  await eventually('uploads only at the other process', async () => {
    const before = uploads_of_stopping
    for (let i = 0; i < UNUSED_AFTER; i++) assert.equal(await upload(), 202)
    return uploads_of_stopping === before
  })
})
