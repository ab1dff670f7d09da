import { createServer } from 'node:http'
import { listen } from '../support/baseline.ts'

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
await listen(server)
