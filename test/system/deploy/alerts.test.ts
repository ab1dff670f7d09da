import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { parse } from 'yaml'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { serveMetrics } from '../../../src/core/runtime/metrics.ts'
import { recordBackup } from '../../../src/operator/backup/queries.ts'
import { programsOf } from '../../docs/code-blocks.ts'
import { eventually, startApp, temporaryFolder } from '../../support/app.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { cleanup } from '../../support/cleanup.ts'
import { listen } from '../../support/listen.ts'
import { read, readCompose, root } from './deploy-files.ts'
import { metricsIn, readMetricLabels, readSelection } from './promql.ts'

const pageOf = (alert: string) =>
  `docs/runbook${alert
    .replace(/^Slipway/, '/')
    .replaceAll(/(?<!\/)([A-Z])/g, '-$1')
    .toLowerCase()}.md`

test('every alert has its page in the runbook, and every page an alert', () => {
  const rules = parse(read('deploy/alerts.yaml')).groups.flatMap((group: any) => group.rules)
  const index = read('docs/runbook/README.md')
  for (const { alert, annotations } of rules) {
    assert.equal(annotations.runbook, pageOf(alert))
    const page = read(annotations.runbook)
    assert.match(page, new RegExp(`^Alert: \`${alert}\`$`, 'm'))
    for (const heading of ['## What to do', '## When it is over'])
      assert.ok(page.includes(heading), `${alert}: ${heading}`)
    assert.ok(index.includes(`| \`${alert}\` | [`), `${alert} is not in the index`)
  }
  const pages = readdirSync(join(root, 'docs/runbook')).filter((name) => name !== 'README.md')
  assert.deepEqual(
    pages.map((name) => `docs/runbook/${name}`).sort(),
    rules.map(({ alert }: any) => pageOf(alert)).sort(),
  )
})

test('a figure that a process does not have is left out of its metrics', async (t) => {
  const { core } = await startApp(t, { SLIPWAY_ROLES: 'upload' })
  const server = await serveMetrics(readConfig({ METRICS_PORT: '0' }), core.log, core)
  cleanup(t, () => server!.close())
  const { port } = server!.address() as { port: number }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  // As 0 they would mean an expired certificate.
  for (const name of ['certificate_expiry_seconds', 'scan_queue_files', 'search_lag_seconds'])
    assert.doesNotMatch(text, new RegExp(`^slipway_${name}[ {]`, 'm'))
  assert.match(text, /^slipway_disk_free_bytes \d+$/m)
  assert.match(text, /^slipway_backups 0$/m)
})

test('a part that is expected to be degraded has no general alert', () => {
  const rules = parse(read('deploy/alerts.yaml')).groups.flatMap((group: any) => group.rules)
  const exprOf = (name: string) => rules.find(({ alert }: any) => alert === name)?.expr
  assert.match(exprOf('SlipwayDegraded'), /slipway_part_up\{part!~"drill\|storage_cleanup"\}/)
  assert.match(exprOf('SlipwayCleanUpRefused'), /slipway_storage_cleanup_refused/)
})

test('the documented scrapes have the job name of the alerts, and find every process', () => {
  const configs = programsOf('docs/operations.md', 'yaml').map((text) => parse(text).scrape_configs)
  const [, job_name] = /up\{job="(\w+)"\}/.exec(read('deploy/alerts.yaml'))!
  assert.deepEqual(
    configs.map(([config]) => config.job_name),
    Array(3).fill(job_name),
  )
  const [machine, composed, cluster] = configs.map(([config]) => config)
  const { metrics_port } = readConfig({})
  assert.deepEqual(machine.static_configs, [{ targets: [`127.0.0.1:${metrics_port}`] }])
  const ours = Object.entries<any>(readCompose().services).filter(
    ([, { image }]) => image === 'slipway',
  )
  assert.deepEqual(composed.dns_sd_configs, [
    { names: ours.map(([name]) => name), type: 'A', port: metrics_port },
  ])
  assert.deepEqual(
    cluster.relabel_configs.map(({ regex }: { regex?: string }) => regex),
    ['slipway', 'metrics', undefined],
  )
})

/** Prometheus adds them to every series. */
const targetLabels = ['job', 'instance']

test('dashboards and alerts use only metrics and labels that exist', async (t) => {
  // The certificate that the metrics report on.
  const files = makeCertificate(temporaryFolder(t), 'localhost')
  const [key, cert] = [files.key, files.cert].map((path) => readFileSync(path))
  const tls_port = await listen(t, createTlsServer({ key, cert }))
  const { core, get } = await startApp(t, {
    SLIPWAY_ROLES: 'api,worker',
    BASE_URL: `https://127.0.0.1:${tls_port}`,
  })
  const backup = { id: 'first', target: '/backups', objects: 1, bytes: 1, damaged: 0 }
  await recordBackup(core.sql, { ...backup, started_at: new Date() })
  await core.sql`update scrub_state set started_at = now()`
  await get('/health')
  await get('/api/v1/public/search?q=any')
  await eventually('the search index', () => core.figures.search_lag_seconds?.() !== undefined)
  const server = await serveMetrics(readConfig({ METRICS_PORT: '0' }), core.log, core)
  cleanup(t, () => server!.close())
  const { port } = server!.address() as { port: number }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const metrics = readMetricLabels(text)
  // Prometheus names its target by them, and would rename ours.
  for (const [name, labels] of metrics)
    for (const label of targetLabels)
      assert.ok(!labels.has(label), `${name} has the label ${label}`)
  const hasLabel = (metric: string, label: string) =>
    targetLabels.includes(label) || metrics.get(metric)?.has(label)
  const { groups } = parse(read('deploy/alerts.yaml'))
  const panels = JSON.parse(read('deploy/dashboard.json')).panels
  const expressions: { expr: string; text: string }[] = [
    ...groups.flatMap(({ rules }: any) =>
      rules.map(({ expr, annotations }: any) => ({ expr, text: JSON.stringify(annotations) })),
    ),
    ...panels.flatMap(({ targets }: any) =>
      targets.map(({ expr, legendFormat }: any) => ({ expr, text: legendFormat })),
    ),
  ]
  assert.ok(expressions.length > 15)
  for (const { expr, text: words } of expressions) {
    const used = metricsIn(expr)
    assert.ok(used.length, expr)
    // Prometheus makes `up` itself.
    for (const name of used) assert.ok(name === 'up' || metrics.has(name), `${name} in ${expr}`)
    const { filters, grouped } = readSelection(expr)
    for (const { metric, label } of filters)
      assert.ok(hasLabel(metric, label), `${metric} has no label ${label}: ${expr}`)
    const text_labels = [...words.matchAll(/\{\{ *(?:\$labels\.)?([a-z]\w*) *\}\}/g)].map(
      ([, name]) => name!,
    )
    for (const label of [...grouped, ...text_labels])
      for (const metric of used)
        assert.ok(hasLabel(metric, label), `${metric} has no label ${label}: ${expr} ${words}`)
  }
  assert.match(text, /slipway_part_up\{part="database"\} 1/)
  assert.match(text, /slipway_jobs\{state="dead"\} 0/)
  assert.match(text, /^slipway_backups 1$/m)
  assert.match(text, /^slipway_scrub_period_seconds 2592000$/m)
  const metricValue = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))!
        .slice(series.length),
    )
  const expiry_days = metricValue('slipway_certificate_expiry_seconds') / 86_400
  assert.ok(expiry_days > 1.9 && expiry_days <= 2, `${expiry_days} days`)
  assert.ok(metricValue('slipway_disk_free_bytes') <= metricValue('slipway_disk_total_bytes'))
  assert.equal(metricValue('slipway_job_waiting{kind="accounts.sweep"}'), 0)
  assert.equal(metricValue('slipway_database_pool_size{pool="slipway"}'), 4)
  assert.ok(metricValue('slipway_database_connections{pool="slipway",state="busy"}') >= 1)
  // Not those that the other figures of the metrics use.
  await eventually('an idle pool', async () => {
    const scrape = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return /^slipway_database_pool_busy\{pool="slipway"\} 0$/m.test(scrape)
  })
})
