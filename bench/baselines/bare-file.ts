import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

/** The minimum cost of sending a file: a stream of it into the response. */
const path = process.env.BENCH_FILE!
const { size } = statSync(path)
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/zip', 'content-length': size })
  pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), response, () => {})
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(
    `ready http://127.0.0.1:${(server.address() as AddressInfo).port}/game.zip\n`,
  ),
)
