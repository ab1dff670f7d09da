import { createHash } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { isUnreadable } from '../../storage/storage.ts'

/** Where the files of a dump are: a folder, or a bucket. */
export type FileStore = {
  write: (name: string, source: AsyncIterable<Uint8Array>) => Promise<unknown>
  read: (name: string) => Promise<Readable>
}

/** A compressed file of lines. `bytes` and `sha256` are of the compressed file. */
export type LineFile = { file: string; rows: number; bytes: number; sha256: string }

/** A file of a backup is not what its manifest says. */
export class DamagedFile extends Error {}

const NEWLINE = 10
const LEVEL = 3

/** Compresses lines into a file. Rows are counted by their line ends. */
export async function writeLines(
  files: FileStore,
  file: string,
  lines: AsyncIterable<Uint8Array> | Readable,
  signal?: AbortSignal,
): Promise<LineFile> {
  const rows = lineCounter()
  const compressed = digestOf()
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  })
  await pipeline(
    lines,
    rows.pass,
    compress,
    compressed.pass,
    async (source: AsyncIterable<Uint8Array>) => void (await files.write(file, source)),
    { signal },
  )
  return { file, rows: rows.count(), bytes: compressed.bytes(), sha256: compressed.sha256() }
}

/** What the decompressor reports; a file that was cut short is a `Z_BUF_ERROR`. */
const DECOMPRESSOR_ERROR = /^(Z|ZSTD)_/

/** Whether the compressed bytes make no sense, or the disk cannot read them. */
const isDamage = (error: unknown) =>
  DECOMPRESSOR_ERROR.test((error as { code?: string }).code ?? '') || isUnreadable(error)

/** Gives the lines of a file to a stream; fails if the file is not the one that was written. */
export async function readLines(
  files: FileStore,
  expected: LineFile,
  to: Writable | ((lines: AsyncIterable<Uint8Array>) => Promise<void>),
  signal?: AbortSignal,
): Promise<void> {
  const rows = lineCounter()
  const compressed = digestOf()
  const check = () => {
    if (compressed.sha256() !== expected.sha256 || rows.count() !== expected.rows)
      throw new DamagedFile(`The file ${expected.file} of the backup is damaged`)
  }
  // Fails before the end reaches the target, which then discards what it got.
  async function* checked(lines: AsyncIterable<Uint8Array>) {
    yield* rows.pass(lines)
    check()
  }
  const source = await files.read(expected.file)
  try {
    await pipeline(source, compressed.pass, createZstdDecompress(), checked, to as Writable, {
      signal,
    })
  } catch (error) {
    if (!isDamage(error)) throw error
    throw new DamagedFile(`The file ${expected.file} of the backup is damaged`)
  }
}

/** Reads a file to its end; fails if it is not the one that was written. */
export const checkLines = (files: FileStore, expected: LineFile, signal?: AbortSignal) =>
  readLines(files, expected, discard, signal)

async function discard(lines: AsyncIterable<Uint8Array>) {
  for await (const _ of lines);
}

/** The lines of a file as objects. Only at the end it is known whether the file is damaged. */
export async function* readRecords<T>(files: FileStore, expected: LineFile): AsyncGenerator<T> {
  const compressed = digestOf()
  const source = await files.read(expected.file)
  const decompress = createZstdDecompress()
  const done = pipeline(source, compressed.pass, decompress)
  // Awaited below; until then a failure must not count as unhandled.
  done.catch(() => {})
  const damaged = () => new DamagedFile(`The file ${expected.file} of the backup is damaged`)
  let rest = ''
  let rows = 0
  try {
    const decoder = new TextDecoder()
    for await (const bytes of decompress) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop()!
      rows += lines.length
      for (const line of lines) yield JSON.parse(line) as T
    }
    await done
  } catch (error) {
    throw isDamage(error) || error instanceof SyntaxError ? damaged() : error
  } finally {
    source.destroy()
  }
  if (rest || rows !== expected.rows || compressed.sha256() !== expected.sha256) throw damaged()
}

const RECORD_BLOCK = 64 * 1024

/** Lines of JSON in blocks, because a compressor is slow with small pieces. */
export async function* recordLines(records: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let block = ''
  for await (const record of records) {
    block += `${JSON.stringify(record)}\n`
    if (block.length < RECORD_BLOCK) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block) yield Buffer.from(block)
}

function lineCounter() {
  let count = 0
  return {
    count: () => count,
    async *pass(source: AsyncIterable<Uint8Array>) {
      for await (const bytes of source) {
        for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1))
          count++
        yield bytes
      }
    },
  }
}

function digestOf() {
  const hash = createHash('sha256')
  let bytes = 0
  let digest: string | undefined
  return {
    bytes: () => bytes,
    sha256: () => {
      digest ??= hash.digest('hex')
      return digest
    },
    async *pass(source: AsyncIterable<Uint8Array>) {
      for await (const piece of source) {
        hash.update(piece)
        bytes += piece.length
        yield piece
      }
    },
  }
}
