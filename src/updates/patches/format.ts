import { zstdDecompressSync } from 'node:zlib'

/**
 * A patch makes files of a build out of files of an earlier one. It is a header and, after it, the
 * compressed segments of all files: eight bytes `SLIPPAT1`, the length of the header (32 bits, low
 * byte first), the header (JSON, compressed with zstd) and the segments.
 */
export const ZSTD_FORMAT = 'slipway-zstd-1'
/** The same, with segments that correct old bytes. */
export const DIFFERENCE_FORMAT = 'slipway-diff-1'
/** The formats that this version makes and applies. */
export const patchFormats: readonly string[] = [ZSTD_FORMAT, DIFFERENCE_FORMAT]
export const PATCH_TYPE = 'application/octet-stream'

/** Thrown for a patch that does not make what it says. */
export class BadPatch extends Error {}

/**
 * A part of a new file: a zstd frame whose dictionary is a part of the old file, or the difference
 * from that part. Large files have several, so that neither side needs memory for all of them.
 */
export type Segment = {
  kind?: 'difference'
  /** Of the new bytes. */
  size: number
  /** The part of the old file that is the dictionary: where it starts and its length. */
  base: [start: number, length: number]
  /** Of the frame. The frames of a file are one after the other. */
  length: number
}

export type PatchEntry = {
  path: string
  size: number
  sha256: string
  /** The file of the earlier build that it is made of. */
  from: { path: string; size: number; sha256: string }
  /** How many bytes the new file has in the zip of its build. */
  full: number
  /** Where its first segment is, counted from the end of the header. */
  offset: number
  segments: Segment[]
}

export type PatchHeader = { from_file: string; to_file: string; entries: PatchEntry[] }

export const MAGIC = Buffer.from('SLIPPAT1')
/** The bytes before the header. */
export const PREFIX_BYTES = MAGIC.length + 4
/** Of a segment that is a difference: its streams, and the length of each before them. */
export const DIFFERENCE_STREAMS = 6
export const LENGTH_BYTES = 4
export const MAX_HEADER_BYTES = 64 * 1024 * 1024
export const MAX_SEGMENT_BYTES = 64 * 1024 * 1024
export const MAX_BASE_BYTES = 128 * 1024 * 1024

/** The length of the header by the first bytes of a patch; undefined if they are of no patch. */
export function readPrefix(prefix: Buffer): number | undefined {
  if (prefix.length < PREFIX_BYTES || !prefix.subarray(0, MAGIC.length).equals(MAGIC))
    return undefined
  const length = prefix.readUInt32LE(MAGIC.length)
  return length > 0 && length <= MAX_HEADER_BYTES ? length : undefined
}

/** Undefined for a header that this version cannot apply. */
export function readHeader(bytes: Buffer): PatchHeader | undefined {
  try {
    const text = zstdDecompressSync(bytes, { maxOutputLength: MAX_HEADER_BYTES })
    const value = JSON.parse(text.toString('utf8')) as PatchHeader
    return value.entries.every(isEntry) ? value : undefined
  } catch {
    return undefined
  }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function isEntry({ path, size, sha256, from, full, offset, segments }: PatchEntry): boolean {
  return (
    [path, sha256, from.path, from.sha256].every((value) => typeof value === 'string') &&
    [size, from.size, full, offset].every(isCount) &&
    segments.every(
      ({ kind, size: bytes, base: [start, length], length: packed }) =>
        (kind === undefined || kind === 'difference') &&
        [bytes, start, length, packed].every(isCount) &&
        bytes <= MAX_SEGMENT_BYTES &&
        length <= MAX_BASE_BYTES &&
        packed <= 2 * MAX_SEGMENT_BYTES &&
        start + length <= from.size,
    ) &&
    segments.reduce((sum, segment) => sum + segment.size, 0) === size
  )
}
