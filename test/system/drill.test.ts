import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { startCollector } from '../../sim/otel-collector.ts'
import { removeObjects } from '../../src/builds/builds/jobs.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { serveMetrics } from '../../src/core/runtime/metrics.ts'
import { readMarker } from '../../src/core/storage/owner-marker.ts'
import { createStoreApi } from '../../src/extstore/client/steam.ts'
import { addOrphan, addRecorded, runSweeps, startCopy } from '../core/storage/owned-objects.ts'
import { OPERATIONS } from '../operator/fixtures.ts'
import { adminFile } from '../support/admin-run.ts'
import { client, eventually, outbox, runJob, startApp } from '../support/app.ts'
import { must, refused, storedKeys } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { copyDatabase } from '../support/database.ts'
import { form, picture } from '../support/images.ts'

const WITHOUT_WORKER = { SLIPWAY_ROLES: 'api,upload,web' }
const ALL_ROLES = 'api,upload,worker,web'

test('a drill sends nothing, runs no jobs and only reads objects', async (t) => {
  const live = await startApp(t, WITHOUT_WORKER)
  const { token } = await live.a.user()
  must(await live.post('/api/v1/private/account/email-code', {}, { token }))
  const owner = await live.a.verifiedDeveloper()
  await live.sql`insert into operators (user_uid) values (${owner.uid})`
  const listing = await live.a.listing({ owner })
  await live.a.images(listing)
  const recorded = await addRecorded(live.core, listing.uid)
  const orphan = await addOrphan(live.core)
  const [due] = await live.sql`select count(*)::int as mails from pgboss.job where name ~ 'mail'`
  assert.ok(due!.mails > 0, 'no mail waits in the queue')

  const drill = await startCopy(t, live, { SLIPWAY_DRILL: 'on', SLIPWAY_ROLES: ALL_ROLES })
  const marker = await readMarker(live.core.storage)
  const keys = await storedKeys(live.core)
  // The search index is loaded by the first query.
  const { checks } = await eventually('every dependency', async () => {
    const { status, body } = await drill.get('/ready')
    return status === 200 && body.data
  })
  assert.deepEqual(
    [checks.drill, checks.storage, checks.storage_cleanup],
    ['degraded', 'ok', undefined],
  )

  // Whatever the copy lacks is no reason for an alert.
  const metrics = await serveMetrics(readConfig({ METRICS_PORT: '0' }), drill.core.log, drill.core)
  cleanup(t, () => metrics!.close())
  const { port } = metrics!.address() as AddressInfo
  const samples = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  assert.deepEqual(samples.match(/^[^#\n].*$/gm), ['slipway_drill 1'])

  await runSweeps(drill.core)
  await runJob(drill, removeObjects, { keys: [recorded, orphan] })
  assert.equal(await drill.core.owner.renew(), 'older_database')
  await assert.rejects(drill.core.storage.put('bugs/a/b', Buffer.from('x')), /This is a drill/)
  await assert.rejects(drill.core.storage.move(recorded, 'bugs/a/b'), /This is a drill/)
  assert.deepEqual(await storedKeys(live.core), keys)
  assert.deepEqual(await readMarker(live.core.storage), marker)
  assert.equal(await live.core.owner.renew(), undefined)

  const mail = await drill.post(`${OPERATIONS}/test-mail`, undefined, owner)
  assert.deepEqual(refused(mail), [503, 5031])
  const confirm = await drill.post(`${OPERATIONS}/storage/confirm`, undefined, owner)
  assert.deepEqual(refused(confirm), [503, 5031])
  await assert.rejects(drill.core.outbound.request({ url: 'https://example.com' }), /a drill/)
  await assert.rejects(createStoreApi(drill.core.config).page(10, 1000), /./)
  const [still] = await drill.sql`
    select count(*)::int as mails from pgboss.job where name ~ 'mail' and state = 'created'`
  assert.equal(still!.mails, due!.mails)
  assert.deepEqual(outbox(live.data_dir), [])
})

test('a drill sends no traces, whatever its settings say', async (t) => {
  const live = await startApp(t, WITHOUT_WORKER)
  const { url, requests, close } = await startCollector()
  cleanup(t, close)
  const settings = { SLIPWAY_DRILL: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: url }
  const drill = await startCopy(t, live, settings)
  const headers = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` }
  assert.equal((await drill.get('/login', { headers })).status, 200)
  // Sends what a tracer has, if there is one.
  await drill.core.tracer?.close()
  assert.deepEqual(requests, [])
})

test('every page of a drill says that it is one', async (t) => {
  const live = await startApp(t, WITHOUT_WORKER)
  const copy = await startCopy(t, live, { SLIPWAY_DRILL: 'on' })
  for (const path of ['/', '/search', '/login', '/signup', '/no-such-page', '/docs/api']) {
    const { body, headers } = await copy.get(path, { headers: { accept: 'text/html' } })
    assert.match(body, /<strong>Drill:<\/strong> this is a restored copy/, path)
    assert.equal(headers['x-slipway-drill'], 'on')
  }
  const { body, headers } = await live.get('/')
  assert.doesNotMatch(body, /Drill/)
  assert.equal(headers['x-slipway-drill'], undefined)
})

test('an upload to a drill is refused in a sentence', async (t) => {
  const live = await startApp(t, WITHOUT_WORKER)
  const listing = await live.a.listing()
  const copy = await startCopy(t, live, { SLIPWAY_DRILL: 'on' })
  const upload = await form({ kind: 'cover' }, [{ bytes: await picture(1024, 576) }])
  const { token } = listing.owner
  const answer = await copy.post(`/api/v1/private/games/${listing.uid}/media`, undefined, {
    token,
    ...upload,
  })
  assert.deepEqual(refused(answer), [503, 5031])
  assert.match(answer.body.error.message, /This is a drill/)
})

test('npm run admin -- drill starts the copy and ends with a signal', async (t) => {
  const live = await startApp(t, WITHOUT_WORKER)
  const DATABASE_URL = await copyDatabase(t, live.settings.DATABASE_URL)
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', await adminFile(), 'drill'],
    {
      env: { ...process.env, ...live.settings, DATABASE_URL },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  cleanup(t, () => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let url = ''
  for await (const line of createInterface({ input: child.stdout! }))
    if (line.startsWith('ready ')) {
      url = line.slice('ready '.length)
      break
    }
  assert.equal(must(await client(url).get('/ready')).checks.drill, 'degraded')
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
})
