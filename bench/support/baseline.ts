import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Prints the line that `startServer` waits for, and calls `stop` when the benchmark ends the
 * process.
 */
export function announce(url: string, stop: () => Promise<void> = async () => {}) {
  process.stdout.write(`ready ${url}\n`)
  process.on('SIGTERM', async () => {
    await stop()
    process.exit(0)
  })
}

/** Listens on a free port and announces the URL of `path`. */
export async function listen(server: Server, path = '/', stop?: () => Promise<void>) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, stop)
}
