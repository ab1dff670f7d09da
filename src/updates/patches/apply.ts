import { constants, createZstdDecompress } from 'node:zlib'
import { applyDifference } from './apply-difference.ts'
import { BadPatch, type PatchEntry, type Segment } from './format.ts'

const MAX_WINDOW_LOG = 27
const CHUNK_BYTES = 1024 * 1024

/** Yields the new bytes of a segment. Memory is bounded by the sizes of segments and bases. */
export async function* unpackSegment(
  segment: Pick<Segment, 'kind' | 'size'>,
  frame: Buffer,
  base: Buffer,
): AsyncGenerator<Buffer> {
  if (segment.kind !== 'difference') yield* unpackFrame(segment, frame, base)
  else {
    const made = applyDifference(frame, base, segment.size)
    for (let at = 0; at < made.length; at += CHUNK_BYTES) yield made.subarray(at, at + CHUNK_BYTES)
  }
}

async function* unpackFrame(
  { size }: Pick<Segment, 'size'>,
  frame: Buffer,
  base: Buffer,
): AsyncGenerator<Buffer> {
  const stream = createZstdDecompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    ...(base.length > 0 && { dictionary: base }),
  })
  stream.end(frame)
  let length = 0
  try {
    for await (const block of stream as AsyncIterable<Buffer>) {
      length += block.length
      if (length > size) throw new BadPatch('a segment is longer than it says')
      yield block
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw /^(ZSTD|ERR_ZSTD|Z)_/.test(code) ? new BadPatch('a segment is damaged') : error
  } finally {
    stream.destroy()
  }
  if (length !== size) throw new BadPatch('a segment is shorter than it says')
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
  let base: Buffer = Buffer.alloc(0)
  let base_name = '0'
  for (const segment of segments) {
    const [start, length] = segment.base
    const name = `${start} ${length}`
    // Segments of a file that is not very large have the same base.
    if (length > 0 && name !== base_name) base = await readBase(start, length)
    base_name = name
    const frame = await readFrames(at, segment.length)
    yield* unpackSegment(segment, frame, length > 0 ? base : Buffer.alloc(0))
    at += segment.length
  }
}
