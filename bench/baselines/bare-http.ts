import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The minimum a Node server does: it sends the same bytes without reading the request. */
const bytes = Buffer.from(process.env.BENCH_BYTES ?? '')
const server = createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  })
  response.end(bytes)
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`),
)
process.on('SIGTERM', () => process.exit(0))
