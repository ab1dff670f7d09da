import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { listen } from '../support/baseline.ts'

/** The minimum cost of sending a file: a stream of it into the response. */
const path = process.env.BENCH_FILE!
const { size } = statSync(path)
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/zip', 'content-length': size })
  pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), response, () => {})
})
await listen(server, '/game.zip')
