import { promisify } from 'node:util'
import { constants, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { applyDifference } from './apply-difference.ts'
import { BadPatch, type PatchEntry, type Segment } from './format.ts'

const MAX_WINDOW_LOG = 27
const CHUNK_BYTES = 1024 * 1024
/** Unpacking so few bytes takes less time than handing them to another thread. */
const SMALL_BYTES = 64 * 1024
/** The least that Node accepts as the size of an output buffer. */
const MIN_CHUNK_BYTES = 64
const NO_BYTES = Buffer.alloc(0)

/** The new bytes of a segment. Memory is bounded by the sizes of segments and bases. */
export async function unpackSegment(
  { kind, size }: Pick<Segment, 'kind' | 'size'>,
  frame: Buffer,
  base: Buffer,
): Promise<Buffer> {
  return kind === 'difference' ? applyDifference(frame, base, size) : unpackFrame(frame, base, size)
}

async function unpackFrame(frame: Buffer, base: Buffer, size: number): Promise<Buffer> {
  const options = {
    // Into a buffer that has room for everything, zstd unpacks without a window of its own, which
    // would take as much memory again and a copy of all bytes.
    chunkSize: Math.max(MIN_CHUNK_BYTES, size + 1),
    maxOutputLength: Math.max(1, size),
    params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    ...(base.length > 0 && { dictionary: base }),
  }
  let made: Buffer
  try {
    made =
      size + base.length <= SMALL_BYTES
        ? zstdDecompressSync(frame, options)
        : await promisify(zstdDecompress)(frame, options)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BadPatch('a segment is longer than it says')
    throw /^(ZSTD|ERR_ZSTD|Z)_/.test(code) ? new BadPatch('a segment is damaged') : error
  }
  if (made.length > size) throw new BadPatch('a segment is longer than it says')
  if (made.length < size) throw new BadPatch('a segment is shorter than it says')
  return made
}

export type PatchSources = {
  /** Bytes of the old file. */
  readBase: (start: number, length: number) => Promise<Buffer>
  /** Bytes of the segments, counted like the offset of an entry. */
  readFrames: (offset: number, length: number) => Promise<Buffer>
}

/** Yields the new contents of a file. The caller compares them with their SHA-256. */
export async function* applyEntry(
  { offset, segments }: Pick<PatchEntry, 'offset' | 'segments'>,
  { readBase, readFrames }: PatchSources,
): AsyncGenerator<Buffer> {
  let at = offset
  let base: Buffer = NO_BYTES
  let base_name = '0'
  for (const segment of segments) {
    const [start, length] = segment.base
    const name = `${start} ${length}`
    // Segments of a file that is not very large have the same base.
    if (length > 0 && name !== base_name) {
      // The last base need not be in memory while this one is read.
      base = NO_BYTES
      base = await readBase(start, length)
    }
    base_name = name
    const frame = await readFrames(at, segment.length)
    const made = await unpackSegment(segment, frame, length > 0 ? base : NO_BYTES)
    for (let from = 0; from < made.length; from += CHUNK_BYTES)
      yield made.subarray(from, from + CHUNK_BYTES)
    at += segment.length
  }
}
