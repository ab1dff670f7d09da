import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const SITE_PATH = '/asset-library/api'

/**
 * Editors before 3.2.4 offer only the sites compiled into them. One of these is
 * http://127.0.0.1/asset-library/api: requests to it are passed on to the asset library at `base`,
 * unchanged except for the start of the path.
 */
export async function startRelay(base: string, port = 80) {
  const target = new URL(base)
  const log: string[] = []
  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    if (!incoming.url?.startsWith(SITE_PATH)) return response.writeHead(404).end()
    const path = target.pathname + incoming.url.slice(SITE_PATH.length)
    const headers = { ...incoming.headers, host: target.host }
    const outgoing = request(new URL(path, target), { method: incoming.method, headers })
    outgoing.on('response', (answer) => {
      log.push(`${incoming.method} ${path} ${answer.statusCode}`)
      response.writeHead(answer.statusCode!, answer.rawHeaders)
      answer.pipe(response)
    })
    outgoing.on('error', (error) => {
      log.push(`${incoming.method} ${path} failed: ${error.message}`)
      response.destroy()
    })
    incoming.pipe(outgoing)
  }
  const server = createServer(forward)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    log,
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
