import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { MIB } from '../../core/runtime/units.ts'

/** Contents up to this size are held in memory, larger ones in a temporary file. */
const MAX_MEMORY_BYTES = 16 * MIB
const BLOCK_BYTES = MIB

/** Unpacked bytes that can be read at any offset. */
export type Contents = {
  size: number
  sha256: string
  crc: number
  read: (start: number, length: number) => Promise<Buffer>
  blocks: () => AsyncGenerator<Buffer>
  close: () => Promise<void>
}

/**
 * Takes the bytes of a source, which must be exactly `size`. The file at `path` is written only for
 * large contents, and removed when they are closed.
 */
export async function holdContents(
  source: AsyncIterable<Uint8Array>,
  size: number,
  path: string,
): Promise<Contents | undefined> {
  const hash = createHash('sha256')
  let crc = 0
  let taken = 0
  const file = size > MAX_MEMORY_BYTES ? await open(path, 'w+', 0o600) : undefined
  const memory = file ? undefined : Buffer.allocUnsafeSlow(size)
  const close = async () => {
    await file?.close()
    if (file) await rm(path, { force: true })
  }
  try {
    for await (const bytes of source) {
      if (taken + bytes.length > size) {
        taken = Number.POSITIVE_INFINITY
        break
      }
      hash.update(bytes)
      crc = crc32(bytes, crc)
      if (file) await writeAll(file, bytes, taken)
      else memory!.set(bytes, taken)
      taken += bytes.length
    }
  } catch (error) {
    await close()
    throw error
  }
  if (taken !== size) {
    await close()
    return undefined
  }
  const read = async (start: number, length: number) => {
    if (memory) return memory.subarray(start, start + length)
    const block = Buffer.allocUnsafeSlow(length)
    for (let at = 0; at < length; ) {
      const { bytesRead } = await file!.read(block, at, length - at, start + at)
      if (bytesRead === 0) throw new Error('The temporary file is shorter than it was')
      at += bytesRead
    }
    return block
  }
  async function* blocks() {
    for (let at = 0; at < size; at += BLOCK_BYTES)
      yield await read(at, Math.min(BLOCK_BYTES, size - at))
  }
  return { size, sha256: hash.digest('hex'), crc, read, blocks, close }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten
}
