import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { listen } from '../support/baseline.ts'

/**
 * The minimum cost of an upload: the same bytes written to a file in blocks of 1 MiB, hashed during
 * the writes, and synced before the response.
 */
const path = join(process.env.BENCH_FOLDER!, 'bare.part')
const BLOCK = 1024 * 1024

async function receive(request: IncomingMessage, handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  let chunks: Buffer[] = []
  let buffered = 0
  let position = 0
  let writing: Promise<unknown> = Promise.resolve()
  const flush = async () => {
    const block = chunks
    const length = buffered
    chunks = []
    buffered = 0
    await writing
    writing = handle.writev(block, position)
    position += length
    for (const chunk of block) hash.update(chunk)
  }
  for await (const chunk of request) {
    chunks.push(chunk)
    buffered += chunk.length
    if (buffered >= BLOCK) await flush()
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
await listen(server)
