/**
 * The file that an uploader sends instead of a zip: the entries of the zip, and the bytes that the
 * service does not have. A prefix of fixed length is followed by the header (compressed JSON), the
 * new bytes of all entries as one compressed stream, and patches, which are compressed already.
 * Imports nothing of the service, because the uploader is bundled without it.
 */
import { createHash } from 'node:crypto'

/** Where the contents of an entry come from: the index of a file, and a path in it. */
export type EntrySource = [file: number, path: string]

export type DeltaEntry = {
  /** With / between folders; a folder ends with one. */
  path: string
  kind: 'file' | 'folder' | 'link'
  executable: boolean
  size: number
  sha256: string
  /** Of a link. */
  target?: string
  /** An entry with the same contents, which are copied as they are compressed. */
  copy?: EntrySource
  /** The entry that `parts` or `patch` refers to. */
  base?: EntrySource
  /**
   * How many new bytes follow, then the offset and length of a range of the base, and so on. The
   * last number is one of new bytes. Without it all bytes are new.
   */
  parts?: number[]
  /** The length of its patch: a zstd frame that has the base as its dictionary. */
  patch?: number
}

/**
 * A copy as it is sent, without the path if it is that of the entry. The store has its size and
 * hash: hashes cannot be compressed, and in a tree of many small files they would be most of the
 * delta.
 */
export type SentCopy = Pick<DeltaEntry, 'path' | 'executable'> & {
  kind: 'file'
  copy: [file: number, path?: string]
}
export type SentEntry = SentCopy | (DeltaEntry & { copy?: never })

export type DeltaHeader = {
  files: string[]
  entries: SentEntry[]
  /** Of the whole tree, see `treeHash`. */
  tree_sha256: string
}

/** With it the store notices a copy of the wrong entry. */
export function treeHash(entries: Iterable<{ path: string; sha256: string }>): string {
  const hash = createHash('sha256')
  for (const { path, sha256 } of entries) hash.update(`${sha256}  ${path}\n`)
  return hash.digest('hex')
}

export const codecs = ['zstd', 'brotli'] as const
export type Codec = (typeof codecs)[number]

export type DeltaPrefix = {
  codec: Codec
  /** Compressed bytes. */
  header_length: number
  /** Compressed bytes. */
  new_length: number
}

const MAGIC = 'SLPDELTA'
const VERSION = 2
export const PREFIX_LENGTH = 24

/** Larger entries are not patched, because patching needs several times their size in memory. */
export const MAX_PATCHED_BYTES = 128 * 1024 * 1024

export function writePrefix({ codec, header_length, new_length }: DeltaPrefix): Buffer {
  const bytes = Buffer.alloc(PREFIX_LENGTH)
  bytes.write(MAGIC, 'latin1')
  bytes.writeUInt8(VERSION, 8)
  bytes.writeUInt8(codecs.indexOf(codec), 9)
  bytes.writeUInt32LE(header_length, 12)
  bytes.writeBigUInt64LE(BigInt(new_length), 16)
  return bytes
}

/** Undefined if this is no delta, or one of a later version. */
export function readPrefix(bytes: Buffer): DeltaPrefix | undefined {
  if (bytes.length < PREFIX_LENGTH || bytes.toString('latin1', 0, 8) !== MAGIC) return undefined
  const codec = codecs[bytes.readUInt8(9)]
  if (bytes.readUInt8(8) !== VERSION || !codec) return undefined
  const new_length = bytes.readBigUInt64LE(16)
  if (new_length > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  return { codec, header_length: bytes.readUInt32LE(12), new_length: Number(new_length) }
}
