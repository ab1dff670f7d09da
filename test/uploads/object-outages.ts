import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { TestContext } from 'node:test'
import { type Answer, eventually, startApp } from '../app.ts'
import { must } from '../builders.ts'
import { cleanup } from '../cleanup.ts'
import { form as imageForm, picture } from '../images.ts'
import { fieldsOf, form, upload } from './forms.ts'
import { sha256, zip } from './zips.ts'

const MIB = 1024 * 1024
const FILES = '/api/v1/tool/upload/files'
const AWAY = [503, 5031]
const refused = ({ status, body }: Answer) => [status, body.error?.code]
type Mood = 'well' | 'refusing' | 'hanging' | 'cut'

/** The store, seen through a line whose mood the test decides. */
async function moody(t: TestContext, url: string) {
  const to = new URL(url)
  let mood: Mood = 'well'
  const line = createServer((from, answer) => {
    if (mood === 'cut') return from.socket.destroy()
    if (mood === 'hanging') return from.resume()
    if (mood === 'refusing') return from.resume().once('end', () => answer.writeHead(503).end())
    const sent = request({ host: to.hostname, port: to.port, method: from.method, path: from.url, headers: from.headers }, (said) => {
      answer.writeHead(said.statusCode!, said.headers)
      said.pipe(answer)
    })
    sent.once('error', () => answer.destroy())
    return from.pipe(sent)
  }).listen(0, '127.0.0.1')
  await once(line, 'listening')
  cleanup(t, () => {
    line.closeAllConnections()
    line.close()
  })
  const { port } = line.address() as { port: number }
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    become(next: Mood) {
      mood = next
      // Whoever hangs is told by the end of the line, as by a store that is started again.
      line.closeAllConnections()
    },
  }
}

export async function outages(t: TestContext, real_url: string) {
  const store = await moody(t, real_url)
  const app = await startApp(t, { S3_URL: store.url })
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const ci = await app.a.deployer(listing)
  const { build_id } = must(await app.post('/api/v1/tool/upload/build', { version: '1.0', os: 'linux', arch: 'x86_64' }, ci))
  const game = zip([{ name: 'bin/game', body: randomBytes(7 * MIB), method: 0 }])
  const opening = form(fieldsOf({ filename: 'game.zip', checksum: sha256(game), build_id, total_size: String(game.length) }), ci)
  const { session_id } = must(await app.call('POST', '/api/v1/tool/upload/sessions', opening))
  const chunk = (from: number, to: number) => {
    const headers = { ...ci.headers, 'x-upload-session-id': session_id, 'content-range': `bytes ${from}-${to - 1}/${game.length}` }
    return app.call('POST', FILES, form([{ name: 'file', filename: 'x', bytes: game.subarray(from, to) }], { headers }))
  }
  const image = async () =>
    app.call('POST', `/api/v1/private/games/${listing.uid}/media`, {
      token: listing.owner.token,
      ...(await imageForm({ kind: 'gallery' }, [{ bytes: await picture(1280, 720) }])),
    })
  const storage = async () => (await app.get('/ready')).body.data.checks.storage
  await eventually('the store', async () => (await storage()) === 'ok')
  must(await chunk(0, 6 * MIB))

  for (const mood of ['refusing', 'cut'] as const) {
    store.become(mood)
    assert.notEqual(await storage(), 'ok')
    assert.deepEqual(refused(await image()), AWAY)
    assert.deepEqual(refused(await app.call('POST', FILES, upload(game, { build_id }, ci))), AWAY)
    const late = await chunk(6 * MIB, game.length)
    assert.deepEqual([...refused(late), late.body.error.data.current_size], [409, 4044, 6 * MIB])
    assert.equal((await app.get(`/api/v1/private/games/${listing.uid}`, listing.owner)).status, 200, 'what needs no store goes on')
    store.become('well')
    await eventually('the store', async () => (await storage()) === 'ok')
    const again = await image()
    assert.equal(again.status, 200, JSON.stringify(again.body))
  }
  store.become('hanging')
  assert.equal(await storage(), 'no answer')
  const waiting = image()
  assert.equal((await app.get(`/api/v1/private/games/${listing.uid}`, listing.owner)).status, 200)
  store.become('well')
  assert.equal((await waiting).status, 200, 'who waited is served when it is back')
  const done = await chunk(6 * MIB, game.length)
  assert.equal(done.status, 201)
  await eventually('the scan', async () => (await app.sql`select from files where scan = 'clean'`).length === 1, 60)
}
