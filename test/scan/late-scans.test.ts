import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../src/core/runtime/config.ts'
import { serveMetrics } from '../../src/core/runtime/metrics.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { read } from '../system/deploy/deploy-files.ts'
import { metricsIn } from '../system/deploy/promql.ts'
import { FILES, startUploadApp } from '../uploads/fixtures.ts'
import { upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'

/** The metric of the alert, and the value above which it fires. */
function readAlert(name: string) {
  const rules = parse(read('deploy/alerts.yaml')).groups.flatMap((group: any) => group.rules)
  const { expr } = rules.find(({ alert }: any) => alert === name)
  const [metric] = metricsIn(expr)
  return { metric: metric!, limit: Number(/> (\d+)$/.exec(expr)![1]) }
}

/** Starts a service whose scanner never answers. */
async function start(t: TestContext) {
  const app = await startUploadApp(t, { CLAMD_URL: 'tcp://127.0.0.1:1' })
  const server = await serveMetrics(readConfig({ METRICS_PORT: '0' }), app.core.log, app.core)
  cleanup(t, () => server!.close())
  const { port } = server!.address() as { port: number }
  /** The largest value of a metric, as `max` of an alert reads it. */
  async function largest(metric: string) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const series = [...text.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm)]
    return Math.max(...series.filter(([, name]) => name === metric).map(([, , at]) => Number(at)))
  }
  return { ...app, largest }
}

test('a scan that fails again and again raises the alert of late scans', async (t) => {
  const { call, sql, build_id, ci, largest } = await start(t)
  const { metric, limit } = readAlert('SlipwayScansLate')
  must(await call('POST', FILES, upload(zip([{ name: 'a', body: 'x' }]), { build_id }, ci)))
  const hasFailed = async (times: number) =>
    (await sql`select from pgboss.job where name = 'scan.file' and retry_count >= ${times}`)
      .length === 1
  await eventually('a failed attempt', () => hasFailed(1))
  assert.ok((await largest(metric)) < limit, 'a new file is late')
  await sql`update files set uploaded_at = uploaded_at - interval '20 minutes'`
  await eventually('one more failed attempt', () => hasFailed(2))
  assert.ok((await largest(metric)) > limit, 'the alert does not fire')
})

test('the age of the oldest scan is that of files and trailers without a result', async (t) => {
  const { call, sql, build_id, ci, core, listing, largest } = await start(t)
  const age = () => largest('slipway_scan_oldest_seconds')
  assert.equal(await age(), 0)
  must(await call('POST', FILES, upload(zip([{ name: 'a', body: 'x' }]), { build_id }, ci)))
  await sql`update files set uploaded_at = now() - interval '1 hour'`
  const seconds = await core.figures.scan_oldest_seconds!()
  assert.ok(seconds! >= 3600 && seconds! < 3700, String(seconds))
  await sql`
    insert into listing_trailers (uid, game_uid, object_uid, type, size, scan, uploaded_at)
    values (${randomUUID()}, ${listing.uid}, ${randomUUID()}, 'video/mp4', 1, 'scanning',
      now() - interval '2 hours')`
  // Metrics share what they read for a moment.
  const isAbout = (expected: number) =>
    eventually(`${expected} seconds`, async () => Math.abs((await age()) - expected) < 100)
  await isAbout(7200)
  await sql`update listing_trailers set scan = 'clean'`
  await isAbout(3600)
  await sql`update files set scan = 'error'`
  await eventually('no scan', async () => (await age()) === 0)
})
