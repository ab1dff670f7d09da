import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

/** What an upload costs without us: the same body to a file, hashed, on the disk before the answer. */
const path = join(process.env.BENCH_FOLDER!, 'bare.part')
const server = createServer(async (request, response) => {
  const [hash, handle] = [createHash('sha256'), await open(path, 'w')]
  for await (const chunk of request) {
    hash.update(chunk)
    await handle.write(chunk)
  }
  await handle.datasync()
  await handle.close()
  response.end(hash.digest('hex'))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready http://127.0.0.1:${(server.address() as { port: number }).port}\n`))
