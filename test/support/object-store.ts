import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually, temporaryFolder } from './app.ts'
import { answers, type Daemon, daemon } from './daemon.ts'

const kinds = ['account', 'container', 'object'] as const

/**
 * Starts a real object store for one test and returns a function that creates a bucket and returns
 * its URL.
 */
export const startSwift = async (t: TestContext) => (await startObjectStore(t)).makeBucket

/**
 * Like `startSwift`, but also returns the proxy in front of the store, which can be stopped and
 * started.
 */
export async function startObjectStore(
  t: TestContext,
): Promise<{ makeBucket: (name: string) => Promise<string>; door: Daemon }> {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'node/d1'), { recursive: true })
  const [cache, proxy, ...ports] = await freePorts(2 + kinds.length)
  void daemon(
    t,
    'memcached',
    ['-u', 'nobody', '-l', '127.0.0.1', '-p', String(cache)],
    () => true,
  ).start()
  for (const [index, kind] of kinds.entries()) {
    const ring = (...args: string[]) =>
      execFileSync('swift-ring-builder', [join(folder, `${kind}.builder`), ...args], {
        stdio: 'ignore',
      })
    ring('create', '4', '1', '0')
    ring('add', `r1z1-127.0.0.1:${ports[index]}/d1`, '1')
    ring('rebalance')
    void serve(t, folder, kind, ports[index]!, serverOf(kind), () => true).start()
  }
  const address = `127.0.0.1:${proxy}`
  const door = serve(t, folder, 'proxy', proxy!, proxyOf(cache!), () =>
    answers(`http://${address}/healthcheck`),
  )
  await door.start()
  const { S3mini } = await import('s3mini')
  const makeBucket = async (name: string) => {
    const account = { accessKeyId: 'test:tester', secretAccessKey: 'testing', region: 'us-east-1' }
    const bucket = new S3mini({ ...account, endpoint: `http://${address}/${name}` })
    await eventually('the bucket', () => bucket.createBucket().catch(() => false), 60)
    return `http://test%3Atester:testing@${address}/${name}`
  }
  return { makeBucket, door }
}

function serve(
  t: TestContext,
  folder: string,
  kind: string,
  port: number,
  settings: string,
  isReady: () => Promise<boolean> | boolean,
) {
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
  return daemon(t, `swift-${kind}-server`, [file], isReady)
}

const serverOf = (kind: string) =>
  `[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`

const proxyOf = (cache: number) => {
  const filters = [
    'catch_errors',
    'gatekeeper',
    'healthcheck',
    'listing_formats',
    'bulk',
    'copy',
    'slo',
    'dlo',
  ]
  return `[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo proxy-server
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
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cache}
${filters.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}`
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  for (const server of servers) server.close()
  return ports
}
