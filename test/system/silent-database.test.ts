import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { lossyDatabase } from '../../sim/lossy-database.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { serveMetrics } from '../../src/core/runtime/metrics.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'

test('connections that fall silent are given up, and everything works on new ones', async (t) => {
  const database = await lossyDatabase(await freshDatabase(t))
  cleanup(t, () => database.close())
  const settings = { DATABASE_URL: database.url, DATABASE_TIMEOUT: '1', DATABASE_CONNECTIONS: '8' }
  const app = await startApp(t, settings)
  const config = readConfig({ METRICS_PORT: '0', DATABASE_TIMEOUT: '1' })
  const server = await serveMetrics(config, app.core.log, app.core)
  cleanup(t, () => server!.close())
  const { port } = server!.address() as AddressInfo
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const { uid, owner } = await app.a.listing()
  await makePublic(app.sql, uid)
  const edit = (tagline: string) => app.patch(`/api/v1/private/games/${uid}`, { tagline }, owner)
  const statuses = async () => [
    (await app.get(`/api/v1/public/games/${uid}`)).status,
    (await app.get('/api/v1/private/account', owner)).status,
    (await edit(randomUUID())).status,
  ]
  // Opens all connections of the pool, most of which are idle afterwards.
  await Promise.all(Array.from({ length: 8 }, () => app.sql`select pg_sleep(0.1)`))
  await eventually('normal operation', async () => !(await statuses()).includes(503))

  const endSilence = database.goSilent()
  assert.deepEqual(
    (await statuses()).filter((status) => status !== 200 && status !== 503),
    [],
  )
  assert.match(await metrics(), /process_cpu_seconds_total/)
  endSilence()
  await eventually('normal operation again', async () => !(await statuses()).includes(503))

  const word = `w${randomUUID().replaceAll('-', '')}`
  must(await app.patch(`/api/v1/private/games/${uid}`, { name: `Found ${word}` }, owner))
  await eventually('the listing in the search', async () => {
    const { status, body } = await app.get(`/api/v1/public/search?q=${word}`)
    return status === 200 && body.data.items.length === 1
  })
  const id = await app.core.jobs.send(app.sql, 'telemetry.health')
  await eventually('a job to run', async () => {
    const [job] = await app.sql`select state from pgboss.job where id = ${id}`
    return job?.state === 'completed'
  })
  assert.match(await metrics(), /slipway_database_pool_size|slipway_jobs/)
})
