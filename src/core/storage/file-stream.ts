import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { KIB } from '../runtime/units.ts'

const BLOCK_BYTES = 256 * KIB

/** Called with each block before it is sent; what it throws breaks the connection. */
type Inspect = (block: Buffer, is_last: boolean) => void
const inspections = new WeakMap<Readable, Inspect>()

/**
 * Streams the bytes of a file from `start` to `end`, which is inclusive. A response is sent through
 * two alternating buffers: a new buffer per block kept the garbage collector busier than the rest
 * of a download.
 */
export function fileStream(handle: FileHandle, start: number, end: number): Readable {
  const stream: Readable = handle.createReadStream({ start, end, highWaterMark: BLOCK_BYTES })
  inspections.set(stream, () => {})
  stream.pipe = (to, options) => {
    // Only a response reports when it is done with a block; other streams may keep it.
    if (!(to instanceof ServerResponse))
      return Readable.prototype.pipe.call(stream, to, options) as typeof to
    send(handle, start, end, to, inspections.get(stream)!).then(
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

/** Whether the stream lets its blocks be inspected on their way to a response. */
export function inspectBlocks(stream: Readable, inspect: Inspect): boolean {
  const is_file = inspections.has(stream)
  if (is_file) inspections.set(stream, inspect)
  return is_file
}

async function send(
  handle: FileHandle,
  start: number,
  end: number,
  to: ServerResponse,
  inspect: Inspect,
): Promise<void> {
  const size = Math.min(BLOCK_BYTES, end - start + 1)
  const buffers = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)]
  let onClose = (_: Error) => {}
  to.once('close', () => onClose(new Error('The connection was closed before the end of the file')))
  const write = (block: Buffer) =>
    new Promise<void>((done, fail) => {
      onClose = fail
      to.write(block, (error) => (error ? fail(error) : done()))
    })
  let sent = Promise.resolve()
  for (let at = start, turn = 0; at <= end; turn ^= 1) {
    const { bytesRead } = await handle.read(buffers[turn]!, 0, Math.min(size, end - at + 1), at)
    if (bytesRead === 0) throw new Error('The file is shorter than expected')
    at += bytesRead
    inspect(buffers[turn]!.subarray(0, bytesRead), at > end)
    // One block is read while the other is being sent.
    await sent
    sent = write(buffers[turn]!.subarray(0, bytesRead))
    // Awaited above or below; until then a failure must not count as unhandled.
    sent.catch(() => {})
  }
  await sent
}
