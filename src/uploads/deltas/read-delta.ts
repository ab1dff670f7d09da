import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createZstdDecompress,
  zstdDecompressSync,
} from 'node:zlib'
import { MIB } from '../../core/runtime/units.ts'
import { zipFileReader } from '../receive/part-files.ts'
import { type Codec, type DeltaHeader, PREFIX_LENGTH, readPrefix } from './format.ts'
import { checkHeader, InvalidDelta } from './header-rules.ts'

const MAX_HEADER_BYTES = 192 * MIB

export type OpenDelta = {
  header: DeltaHeader
  /** The next new bytes, in pieces. */
  take: (length: number) => AsyncGenerator<Buffer>
  /** The next patch. */
  patch: (length: number) => Readable
  /** Throws if there are new bytes or patches that no entry has taken. */
  end: () => Promise<void>
  close: () => Promise<void>
}

/** Opens the file that an uploader sent, and checks its header. */
export async function openDelta(path: string): Promise<OpenDelta> {
  const handle = await open(path, 'r')
  try {
    return await readDelta(handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function readDelta(handle: FileHandle): Promise<OpenDelta> {
  const { size } = await handle.stat()
  const { stream } = zipFileReader(handle)
  const prefix = readPrefix(await readExactly(handle, 0, Math.min(size, PREFIX_LENGTH)))
  if (!prefix) throw new InvalidDelta('is not a delta that this service can read')
  const { codec, header_length, new_length } = prefix
  const new_start = PREFIX_LENGTH + header_length
  let patch_start = new_start + new_length
  if (patch_start > size) throw new InvalidDelta('ends too early')
  const header = checkHeader(
    parseHeader(codec, await readExactly(handle, PREFIX_LENGTH, header_length)),
  )
  const packed = Readable.from(pieces(new_start, new_length), { objectMode: false })
  const unpacked = packed.pipe(codec === 'zstd' ? createZstdDecompress() : createBrotliDecompress())
  packed.on('error', (error) => unpacked.destroy(error))
  // Reported to who takes the bytes, if anyone does.
  unpacked.on('error', () => {})
  const iterator = new_length > 0 ? unpacked[Symbol.asyncIterator]() : undefined
  let rest: Buffer = Buffer.alloc(0)

  /** More new bytes; undefined at their end. */
  async function next(): Promise<Buffer | undefined> {
    try {
      const step = await iterator?.next()
      return step && !step.done ? (step.value as Buffer) : undefined
    } catch {
      throw new InvalidDelta('has bytes that cannot be unpacked')
    }
  }
  return {
    header,
    async *take(length) {
      for (let missing = length; missing > 0; ) {
        if (rest.length === 0) {
          const more = await next()
          if (!more) throw new InvalidDelta('has fewer bytes than its entries need')
          rest = more
        }
        const piece = rest.subarray(0, missing)
        rest = rest.subarray(piece.length)
        missing -= piece.length
        yield piece
      }
    },
    patch(length) {
      if (patch_start + length > size) throw new InvalidDelta('ends too early')
      const start = patch_start
      patch_start += length
      return Readable.from(pieces(start, length), { objectMode: false })
    },
    async end() {
      if (rest.length > 0 || (await next()) || patch_start !== size)
        throw new InvalidDelta('has bytes that belong to no entry')
    },
    async close() {
      packed.destroy()
      unpacked.destroy()
      await handle.close()
    },
  }

  async function* pieces(start: number, length: number) {
    if (length > 0) yield* await stream(start, length)
  }
}

async function readExactly(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start)
  if (bytesRead !== length) throw new InvalidDelta('ends too early')
  return buffer
}

function parseHeader(codec: Codec, packed: Buffer): unknown {
  const options = { maxOutputLength: MAX_HEADER_BYTES }
  try {
    const text =
      codec === 'zstd' ? zstdDecompressSync(packed, options) : brotliDecompressSync(packed, options)
    return JSON.parse(text.toString('utf8'))
  } catch {
    throw new InvalidDelta('has a header that cannot be read')
  }
}
