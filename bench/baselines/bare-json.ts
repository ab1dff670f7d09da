import { createServer } from 'node:http'
import { listen } from '../support/baseline.ts'

/** The minimum a Node server does with a JSON body: read it, parse it and acknowledge it. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { events } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const answer = JSON.stringify({ success: true, data: { accepted: events.length } })
    response.writeHead(202, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(answer),
    })
    response.end(answer)
  })
})
await listen(server)
