import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/**
 * The minimum cost of an upload: the same bytes written to a file in blocks of 1 MiB, hashed during
 * the writes, and synced before the response.
 */
const path = join(process.env.BENCH_FOLDER!, 'bare.part')
const BLOCK = 1024 * 1024

async function receive(request: IncomingMessage, handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  let [blocks, gathered, position, writing]: [Buffer[], number, number, Promise<unknown>] = [
    [],
    0,
    0,
    Promise.resolve(),
  ]
  const flush = async () => {
    const [ready, length] = [blocks, gathered]
    ;[blocks, gathered] = [[], 0]
    await writing
    writing = handle.writev(ready, position)
    position += length
    for (const block of ready) hash.update(block)
  }
  for await (const chunk of request) {
    blocks.push(chunk)
    gathered += chunk.length
    if (gathered >= BLOCK) await flush()
  }
  await flush()
  await writing
  await handle.datasync()
  return hash.digest('hex')
}

const server = createServer(async (request, response) => {
  const handle = await open(path, 'w')
  const checksum = await receive(request, handle)
  await handle.close()
  response.end(checksum)
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
)
