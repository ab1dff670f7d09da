import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { parse } from 'yaml'
import { poolSizes } from '../../src/core/database/pools.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { serveMetrics } from '../../src/core/runtime/metrics.ts'
import { recordBackup } from '../../src/operator/backup/queries.ts'
import { routes } from '../../src/routes.ts'
import { type CodeBlock, codeBlocks, programsOf } from '../docs/code-blocks.ts'
import { type Answer, client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { listen } from '../support/listen.ts'
import { startNginx } from '../support/programs/nginx.ts'
import { needs } from '../support/system-packages.ts'
import { metricsIn, readMetricLabels, readSelection } from './deploy/promql.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const compose = () => parse(read('deploy/compose.yaml'), { merge: true })

test('nginx accepts the configuration', (t) => {
  if (!needs(t, 'nginx')) return
  const folder = temporaryFolder(t)
  const adapted = read('deploy/nginx.conf')
    .replaceAll(/server (api|web|upload):8080/g, 'server 127.0.0.1:8080')
    .replace('listen 80;', 'listen 127.0.0.1:18080;')
    .replace('listen 443 ssl;', 'listen 127.0.0.1:18443 ssl;')
    .replaceAll('/etc/slipway/tls', folder)
    .replaceAll('/var/log/nginx', folder)
  createCertificate(folder)
  writeFileSync(join(folder, 'slipway.conf'), adapted)
  const temp_paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const config = [
    `pid ${folder}/pid;`,
    `error_log ${folder}/log;`,
    'events {}',
    'http {',
    'access_log off;',
    ...temp_paths,
    `include ${folder}/slipway.conf;`,
    '}',
  ].join('\n')
  mkdirSync(join(folder, 'logs'))
  writeFileSync(join(folder, 'nginx.conf'), config)
  const { status, stderr } = spawnSync(
    'nginx',
    ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')],
    { encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
})

/** A certificate for 127.0.0.1 that nobody signed. */
function createCertificate(folder: string) {
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-subj', '/CN=127.0.0.1', '-days', '2'],
      ...['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')],
    ],
    { encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
}

const POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

test('nginx serves https, leads http to it, and logs no secrets of addresses', async (t) => {
  if (!needs(t, 'nginx')) return
  const folder = temporaryFolder(t)
  createCertificate(folder)
  const [plain_port, tls_port] = [await freePort(), await freePort()]
  const app = await startApp(t, { PROXY_HOPS: '1', BASE_URL: `https://127.0.0.1:${tls_port}` })
  const conf = read('deploy/nginx.conf')
    .replaceAll(/server (api|web):8080/g, `server 127.0.0.1:${new URL(app.url).port}`)
    .replaceAll('server upload:8080', `server 127.0.0.1:${await freePort()}`)
    .replace('listen 80;', `listen 127.0.0.1:${plain_port};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${tls_port} ssl;`)
    .replaceAll('/etc/slipway/tls', folder)
    .replaceAll('/var/log/nginx', folder)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;`
  writeFileSync(join(folder, 'nginx.conf'), `${main} events {} http { ${temporary} ${conf} }`)
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
  cleanup(t, () => nginx.kill('SIGTERM'))
  const plain = `http://127.0.0.1:${plain_port}`
  const redirect = await eventually('nginx', () =>
    fetch(`${plain}/password/new?token=secret-1`, { redirect: 'manual' }).catch(
      () => false as const,
    ),
  )
  assert.deepEqual(
    [redirect.status, redirect.headers.get('location')],
    [301, 'https://127.0.0.1/password/new?token=secret-1'],
  )
  const own = { nosniff: 'nosniff', policy: POLICY, hsts: null as string | null }
  const headersOf = ({ headers }: Response) => ({
    nosniff: headers.get('x-content-type-options'),
    policy: headers.get('content-security-policy'),
    hsts: headers.get('strict-transport-security'),
  })
  assert.deepEqual(headersOf(redirect), own)
  // A program that sends its key in the clear learns that it does, instead of being led on.
  for (const path of ['/api/v1/private/account', '/mcp', '/player', '/oauth/token']) {
    const refusal = await fetch(`${plain}${path}`, { redirect: 'manual' })
    assert.equal(refusal.status, 403, path)
    assert.deepEqual(headersOf(refusal), own)
    assert.equal(refusal.headers.get('content-type'), 'text/plain; charset=utf-8')
  }
  const secure = async (path: string) => {
    const headers = { referer: 'https://127.0.0.1/?code=secret-2' }
    const options = { rejectUnauthorized: false, headers }
    const [answer] = (await once(
      get(`https://127.0.0.1:${tls_port}${path}`, options),
      'response',
    )) as [IncomingMessage]
    answer.resume()
    const { statusCode, rawHeaders } = answer
    // Each header is there once, whoever set it.
    const valuesOf = (name: string) =>
      rawHeaders.filter((_, i) => rawHeaders[i - 1]?.toLowerCase() === name).join(' and ')
    return [
      statusCode,
      valuesOf('x-content-type-options'),
      valuesOf('content-security-policy'),
      valuesOf('strict-transport-security'),
    ]
  }
  const common = ['nosniff', POLICY, 'max-age=31536000']
  assert.deepEqual(await secure('/media/x?Signature=secret-3'), [404, ...common])
  assert.deepEqual(await secure('/ready'), [404, ...common])
  // No process answers uploads here.
  assert.deepEqual(await secure('/api/v1/tool/upload/files?token=secret-4'), [502, ...common])
  const log = await eventually('all lines of the log', () => {
    const text = readFileSync(join(folder, 'access.log'), 'utf8')
    return text.trim().split('\n').length === 8 && text
  })
  assert.match(log, /"GET \/password\/new HTTP\/1.1" 301 [\s\S]*"GET \/media\/x HTTP\/1.1" 404 /)
  assert.doesNotMatch(log, /secret/)
  for (const name of readdirSync(folder).filter((name) => /log$/.test(name)))
    assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /secret/, name)
})

/** Records a call of a command that changes the machine instead of running it. */
const recorded = ['useradd', 'usermod', 'systemctl', 'curl', 'npm', 'node', 'apt-get'].map(
  (name) => `${name}() { echo "${name} $*" >> "$RECORD"; }`,
)
const isRunHere = ({ mark = '' }: CodeBlock) => mark.startsWith('run by test/system/deploy.test.ts')

test('the guides install, put behind nginx and upgrade the service', (t) => {
  const folder = temporaryFolder(t)
  for (const path of ['srv', 'usr/local/sbin', 'etc/systemd/system'])
    mkdirSync(join(folder, path), { recursive: true })
  for (const path of ['etc/nginx/conf.d', 'etc/nginx/sites-enabled'])
    mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'etc/nginx/sites-enabled/default'), 'server { listen 80; }')
  const commands = [
    ...codeBlocks('docs/scaling.md').filter(isRunHere),
    ...codeBlocks('docs/backup.md').filter(isRunHere),
    ...codeBlocks('docs/upgrading.md').filter(isRunHere),
  ].map(({ body }) => body)
  assert.equal(commands.length, 4)
  const script = [
    ...recorded,
    'git() {',
    '  echo "git $1 in $PWD" >> "$RECORD"',
    `  [ "$1" = pull ] || { mkdir "$3" && cp -r ${root}/deploy "$3"; }`,
    '}',
    ...commands.map((block) => block.replaceAll(/ (\/(?:srv|etc|usr)\/)/g, ` ${folder}$1`)),
  ].join('\n')
  const { status, stderr } = spawnSync('bash', ['-euc', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, RECORD: join(folder, 'record') },
  })
  assert.equal(status, 0, stderr)
  const record = readFileSync(join(folder, 'record'), 'utf8').split('\n')
  assert.ok(
    record.indexOf('npm ci --omit=dev') < record.indexOf('systemctl enable --now slipway'),
    'the packages are installed before the service starts, which cannot install them',
  )
  assert.ok(record.includes('node patches/apply.mjs') && record.includes('node bundle.mjs'))
  assert.deepEqual(record.slice(record.indexOf('systemctl stop slipway')), [
    'systemctl stop slipway',
    `git pull in ${folder}/srv/slipway`,
    'npm ci --omit=dev',
    'node patches/apply.mjs',
    'node bundle.mjs',
    'systemctl start slipway',
    '',
  ])
  for (const name of ['slipway.service', 'slipway-backup.service', 'slipway-backup.timer'])
    assert.equal(
      readFileSync(join(folder, 'etc/systemd/system', name), 'utf8'),
      read(`deploy/${name}`),
    )
  assert.ok(statSync(join(folder, 'usr/local/sbin/slipway-admin')).mode & 0o100)
  assert.ok(!existsSync(join(folder, 'etc/nginx/sites-enabled/default')))
  const servers = readFileSync(join(folder, 'etc/nginx/conf.d/slipway.conf'), 'utf8').match(
    /^ +server .*?:\d+/gm,
  )
  assert.deepEqual(servers, Array(4).fill('  server 127.0.0.1:8080'))
})

test('without packages, a service that cannot write its folder says how to install them', (t) => {
  const folder = temporaryFolder(t)
  for (const name of ['run.mjs', 'bundle.mjs', 'patches', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  // Root may write everywhere, so the command runs as an account that owns nothing here.
  const is_root = process.getuid?.() === 0
  if (is_root) chmodSync(folder, 0o755)
  else chmodSync(folder, 0o555)
  cleanup(t, () => chmodSync(folder, 0o755))
  const { status, stderr } = spawnSync(process.execPath, ['run.mjs', 'start'], {
    cwd: folder,
    encoding: 'utf8',
    ...(is_root && { uid: 65534, gid: 65534 }),
  })
  assert.equal(status, 1, stderr)
  assert.match(stderr, /cannot write to .*run: npm ci --omit=dev && node patches\/apply.mjs/)
})

test('nginx routes to the upload processes exactly the addresses that they serve', () => {
  const conf = read('deploy/nginx.conf')
  const [pattern, block] = /location ~ (\S+) \{([^}]*slipway_upload[^}]*)\}/.exec(conf)!.slice(1)
  assert.match(block!, /proxy_request_buffering off;/)
  const sample = (url: string) => url.replaceAll(/:\w+/g, 'x')
  const wrong = routes.filter(
    ({ url, role = 'api' }) => new RegExp(pattern!).test(sample(url)) !== (role === 'upload'),
  )
  // An address may belong to both roles by method; an upload process then serves only its own
  // methods.
  const uploads = new Set(routes.filter(({ role }) => role === 'upload').map(({ url }) => url))
  assert.ok(uploads.size >= 5)
  assert.deepEqual(
    wrong.map(({ method, url }) => `${method} ${url}`),
    [],
  )
})

/** The service behind nginx with the configuration of deploy/, called through nginx. */
async function startBehindNginx(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { port } = new URL(app.url)
  const url = await startNginx(t, { api: [port], web: [port], upload: [port] })
  return { ...app, ...client(url) }
}

test('behind nginx, a token in the header SVC_GAMES signs in', async (t) => {
  if (!needs(t, 'nginx')) return
  const { a, get } = await startBehindNginx(t)
  const person = await a.user()
  const { key } = await a.key('player', person, ['player:read'])
  const configure = (svc_games: string) =>
    get('/api/v1/public/asset-library/configure', { headers: { svc_games } })
  const { username, signed_in } = (await configure(key)).body.auth
  assert.deepEqual([username, signed_in], [person.username, true])
  assert.equal((await configure(`${key}x`)).status, 401)
})

test('behind nginx, readiness answers like an unknown address', async (t) => {
  if (!needs(t, 'nginx')) return
  const { get, url } = await startBehindNginx(t)
  const names = ['content-type', 'cache-control', 'x-content-type-options']
  const summary = ({ status, body, headers }: Answer) => [
    status,
    body,
    names.map((name) => headers[name]),
  ]
  const ready = await get('/ready')
  assert.deepEqual(summary(ready), summary(await get('/api/v1/unknown')))
  assert.equal(ready.body.error.code, 4040)
  await eventually(
    'the answer of the process itself',
    async () => (await client(url).get('/ready')).status === 200,
  )
})

test('systemd never gives the service up while its database is away', () => {
  const [unit] = read('deploy/slipway.service').split('[Service]')
  assert.match(unit!, /^StartLimitIntervalSec=0$/m)
})

test('systemd accepts the units', (t) => {
  if (!existsSync('/usr/bin/systemd-analyze')) return t.skip('systemd-analyze is not installed')
  const folder = temporaryFolder(t)
  const paths = ['slipway.service', 'slipway-backup.service', 'slipway-backup.timer'].map(
    (name) => {
      const path = join(folder, name)
      writeFileSync(path, read(`deploy/${name}`).replace('/usr/bin/node', process.execPath))
      return path
    },
  )
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
    encoding: 'utf8',
  })
  assert.doesNotMatch(stderr, /slipway[\w.-]*:\d+|Unknown|Failed to parse|bad|invalid/i, stderr)
})

test('the compose file runs every role, sets known variables and uses its services', () => {
  const { services, volumes } = compose()
  const ours = Object.values<any>(services).filter(({ image }) => image === 'slipway')
  assert.deepEqual(
    [...new Set(ours.flatMap(({ environment }) => environment.SLIPWAY_ROLES.split(',')))].sort(),
    ['api', 'upload', 'web', 'worker'],
  )
  const known = new Set(
    [...read('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map((match) => match[1]),
  )
  for (const { environment } of ours)
    for (const name of Object.keys(environment)) assert.ok(known.has(name), name)
  for (const [name, url] of Object.entries({
    postgres: 'DATABASE_URL',
    redis: 'REDIS_URL',
    clamd: 'CLAMD_URL',
  }))
    assert.ok(
      services[name] && ours.every(({ environment }) => environment[url].includes(name)),
      name,
    )
  for (const [name, { mem_limit, logging }] of Object.entries<any>(services)) {
    assert.match(mem_limit, /^(\$\{[A-Z]+_MEMORY:-)?\d+[mg]\}?$/, `${name} has no memory limit`)
    assert.ok(logging.options['max-size'], `the log of ${name} is not rotated`)
  }
  const used = Object.values<any>(services).flatMap((service) => service.volumes ?? [])
  for (const volume of Object.keys(volumes))
    assert.ok(
      used.some((mount: string) => mount.startsWith(`${volume}:`)),
      volume,
    )
  // The service must accept all settings of a container together.
  for (const service of ours) composedConfig(service)
})

/** The settings of a service of the compose file, with values for what operators fill in. */
const composedConfig = ({ environment }: { environment: Record<string, string> }) =>
  readConfig(
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value
          .replaceAll(/\$\{BASE_URL[^}]*\}/g, 'https://store.example')
          .replaceAll(/\$\{SECRETS_KEY[^}]*\}/g, `${'A'.repeat(43)}=`)
          .replaceAll(/\$\{[^}]*\}/g, ''),
      ]),
    ),
  )

/** What the server keeps for superusers. */
const RESERVED_CONNECTIONS = 3
/** For starts, a backup and commands. */
const SPARE_CONNECTIONS = 12

test('the database of the compose file has connections for two processes of each role', () => {
  const { services } = compose()
  const ours = Object.values<any>(services).filter(({ image }) => image === 'slipway')
  const needed = ours
    .flatMap((service) => [...poolSizes(composedConfig(service)).values()])
    .reduce((sum, size) => sum + size)
  assert.ok(
    read('docs/scaling.md').includes(
      `${needed} for one process of each\nrole, ${2 * needed} for two`,
    ),
  )
  const { command = [] } = services.postgres
  const [, limit = '100'] = /max_connections=(\d+)/.exec(command.join(' ')) ?? []
  const total = 2 * needed + RESERVED_CONNECTIONS + SPARE_CONNECTIONS
  assert.ok(total <= Number(limit), `${total} of ${limit} connections`)
})

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
  const ours = Object.entries<any>(compose().services).filter(
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
  const folder = temporaryFolder(t)
  createCertificate(folder)
  const [key, cert] = ['privkey.pem', 'fullchain.pem'].map((name) =>
    readFileSync(join(folder, name)),
  )
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
