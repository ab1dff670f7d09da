import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually, temporaryFolder } from '../app.ts'
import { type Daemon, daemon, isReachable } from '../daemon.ts'

const SERVERS = join(import.meta.dirname, 'object-store.py')

/**
 * Starts a real object store for one test and returns a function that creates a bucket and returns
 * its URL.
 */
export const startSwift = async (t: TestContext) => (await startObjectStore(t)).makeBucket

/**
 * Like `startSwift`, but also returns the process of the store, which can be stopped and started. It
 * accepts requests whose time differs from its own by `clock_skew_seconds`.
 */
export async function startObjectStore(
  t: TestContext,
  { clock_skew_seconds = 900 } = {},
): Promise<{ makeBucket: (name: string) => Promise<string>; proxy: Daemon }> {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'node/d1'), { recursive: true })
  const address = `127.0.0.1:${await freePort()}`
  const proxy = daemon(t, {
    command: '/usr/bin/python3',
    args: [SERVERS, folder, address.split(':')[1]!, String(clock_skew_seconds)],
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
