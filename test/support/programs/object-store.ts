import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually, temporaryFolder } from '../app.ts'
import { type Daemon, daemon, isReachable } from '../daemon.ts'

const kinds = ['account', 'container', 'object'] as const

/**
 * Starts a real object store for one test and returns a function that creates a bucket and returns
 * its URL.
 */
export const startSwift = async (t: TestContext) => (await startObjectStore(t)).makeBucket

/**
 * Like `startSwift`, but also returns the proxy in front of the store, which can be stopped and
 * started. It accepts requests whose time differs from its own by `clock_skew_seconds`.
 */
export async function startObjectStore(
  t: TestContext,
  { clock_skew_seconds = 900 } = {},
): Promise<{ makeBucket: (name: string) => Promise<string>; proxy: Daemon }> {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'node/d1'), { recursive: true })
  const [cache_port, proxy_port, ...ports] = await freePorts(2 + kinds.length)
  void daemon(t, {
    command: 'memcached',
    args: ['-u', 'nobody', '-l', '127.0.0.1', '-p', String(cache_port)],
    isReady: () => true,
  }).start()
  buildRings(kinds.map((kind, index) => [join(folder, `${kind}.builder`), ports[index]!]))
  const servers = kinds.map((kind, index) =>
    swiftServer(t, {
      folder,
      kind,
      port: ports[index]!,
      settings: serverSettings(kind),
      isReady: () => isReachable(`http://127.0.0.1:${ports[index]}/healthcheck`),
    }),
  )
  await Promise.all(servers.map((server) => server.start()))
  const address = `127.0.0.1:${proxy_port}`
  const proxy = swiftServer(t, {
    folder,
    kind: 'proxy',
    port: proxy_port!,
    settings: proxySettings(cache_port!, clock_skew_seconds),
    isReady: () => isReachable(`http://${address}/healthcheck`),
  })
  await proxy.start()
  const { S3mini } = await import('s3mini')
  const makeBucket = async (name: string) => {
    const account = { accessKeyId: 'test:tester', secretAccessKey: 'testing', region: 'us-east-1' }
    const bucket = new S3mini({ ...account, endpoint: `http://${address}/${name}` })
    await eventually('the bucket', () => bucket.createBucket().catch(() => false))
    return `http://test%3Atester:testing@${address}/${name}`
  }
  return { makeBucket, proxy }
}

/** Runs swift-ring-builder for every ring in one process, because each start takes a second. */
function buildRings(rings: [file: string, port: number][]) {
  const commands = rings.flatMap(([file, port]) => [
    [file, 'create', '4', '1', '0'],
    [file, 'add', `r1z1-127.0.0.1:${port}/d1`, '1'],
    [file, 'rebalance'],
  ])
  const script = `
import json, sys
from swift.cli.ringbuilder import main
for command in json.loads(sys.argv[1]):
    try:
        main(['swift-ring-builder', *command])
    except SystemExit as exit:
        if exit.code: raise
`
  execFileSync('/usr/bin/python3', ['-c', script, JSON.stringify(commands)], { stdio: 'ignore' })
}

type SwiftServer = {
  folder: string
  kind: string
  port: number
  settings: string
  isReady: () => Promise<boolean> | boolean
}

function swiftServer(t: TestContext, { folder, kind, port, settings, isReady }: SwiftServer) {
  const file = join(folder, `${kind}-server.conf`)
  const common = {
    devices: join(folder, 'node'),
    mount_check: 'false',
    bind_ip: '127.0.0.1',
    bind_port: port,
    workers: 0,
    swift_dir: folder,
  }
  const lines = Object.entries({ ...common, user: 'root', log_level: 'ERROR' }).map(
    ([name, value]) => `${name} = ${value}`,
  )
  writeFileSync(file, `[DEFAULT]\n${lines.join('\n')}\n${settings}`)
  return daemon(t, { command: `swift-${kind}-server`, args: [file], isReady })
}

const serverSettings = (kind: string) => `[pipeline:main]
pipeline = healthcheck ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
[filter:healthcheck]
use = egg:swift#healthcheck
`

const proxySettings = (cache_port: number, clock_skew_seconds: number) => {
  const first = ['catch_errors', 'gatekeeper', 'healthcheck']
  const middle = ['listing_formats', 'bulk']
  const last = ['copy', 'slo', 'dlo']
  const pipeline = [...first, 'cache', ...middle, 's3api', 'tempauth', ...last, 'proxy-server']
  const unconfigured = [...first, ...middle, ...last]
  return `[pipeline:main]
pipeline = ${pipeline.join(' ')}
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
allowable_clock_skew = ${clock_skew_seconds}
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cache_port}
${unconfigured.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}`
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  for (const server of servers) server.close()
  return ports
}
