import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

const BLOCK = 256 * 1024

/**
 * The bytes of a file from `start` up to `end`, which is inclusive. Sent as an answer they go through two buffers in turn: a new one for each
 * block kept the collector busier with a download than everything else together.
 */
export function fileStream(handle: FileHandle, start: number, end: number): Readable {
  const stream: Readable = handle.createReadStream({ start, end, highWaterMark: BLOCK })
  stream.pipe = (to, options) => {
    // Only an answer says when it is done with a block; others may keep it.
    if (!(to instanceof ServerResponse))
      return Readable.prototype.pipe.call(stream, to, options) as typeof to
    send(handle, start, end, to).then(
      () => {
        if (options?.end !== false) to.end()
        stream.push(null)
        stream.resume()
      },
      (error) => stream.destroy(error),
    )
    return to
  }
  return stream
}

async function send(
  handle: FileHandle,
  start: number,
  end: number,
  to: ServerResponse,
): Promise<void> {
  const size = Math.min(BLOCK, end - start + 1)
  const buffers = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)]
  let gone = (_: Error) => {}
  to.once('close', () => gone(new Error('The connection ended before the file')))
  const write = (block: Buffer) =>
    new Promise<void>((done, fail) => {
      gone = fail
      to.write(block, (error) => (error ? fail(error) : done()))
    })
  let sent = Promise.resolve()
  for (let at = start, turn = 0; at <= end; turn ^= 1) {
    const { bytesRead } = await handle.read(buffers[turn]!, 0, Math.min(size, end - at + 1), at)
    if (bytesRead === 0) throw new Error('The file ended before its end')
    at += bytesRead
    // One block is read while the other goes out, into the buffer that has gone.
    await sent
    sent = write(buffers[turn]!.subarray(0, bytesRead))
    sent.catch(() => {}) // Told above or below, whenever the reading is done.
  }
  await sent
}
