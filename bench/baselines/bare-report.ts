import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listen } from '../support/baseline.ts'

/**
 * The minimum cost of a report: the body in its own file, with file and folder synced before the
 * response.
 */
const folder = process.env.BENCH_FOLDER!
let count = 0
const server = createServer(async (request, response) => {
  const handle = await open(join(folder, `${count++}.part`), 'wx')
  for await (const chunk of request) await handle.write(chunk)
  await handle.datasync()
  await handle.close()
  const names = await open(folder)
  await names.sync()
  await names.close()
  response.writeHead(201).end('{}')
})
await listen(server)
