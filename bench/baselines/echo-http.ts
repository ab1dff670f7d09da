import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The minimum a route does with a body: it sends it back. */
const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const body = Buffer.concat(parts)
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`),
)
process.on('SIGTERM', () => process.exit(0))
