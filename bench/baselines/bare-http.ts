import { createServer } from 'node:http'
import { listen } from '../support/baseline.ts'

/** The minimum a Node server does: it sends the same bytes without reading the request. */
const bytes = Buffer.from(process.env.BENCH_BYTES ?? '')
const server = createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  })
  response.end(bytes)
})
await listen(server)
