import type { ServerResponse } from 'node:http'
import { addAbortSignal, type Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { releaseBuffer } from '../core/storage/release-buffer.ts'
import {
  dataDescriptor,
  directoryRecord,
  dosTime,
  endOfDirectory,
  localHeader,
  MAX_ZIP_BYTES,
  MAX_ZIP_ENTRIES,
  type ZipEntry,
  zipRecordBytes,
} from '../core/storage/zip-format.ts'

/** A file of known size, which is opened only when it is about to be sent. */
type StreamedFile = {
  name: string
  size: number
  open: () => Promise<Readable>
  /** If unknown, it is computed while the file is sent, and follows the bytes. */
  crc?: number
  onChecksum?: (crc: number) => Promise<void>
}
export type ZipFile = { name: string; bytes: Uint8Array } | StreamedFile

/** The exact length of the zip. Nothing is compressed, so it is known before a file is read. */
export function zipSize(files: readonly ZipFile[]): number {
  const { local_header, directory_record, end_of_directory } = zipRecordBytes
  let total: number = end_of_directory
  for (const file of files)
    total += local_header + directory_record + 2 * Buffer.byteLength(file.name) + storedSize(file)
  return total
}

function storedSize(file: ZipFile): number {
  if ('bytes' in file) return file.bytes.length
  return file.size + (file.crc === undefined ? zipRecordBytes.descriptor : 0)
}

/**
 * Writes the files as a zip to a response whose headers are set, no faster than the client reads.
 * Files are stored, since images do not compress. We do not use a zip library, because the checksum
 * has to be native to keep up: with a checksum in JavaScript the zip was three times slower.
 * A client that disconnects is no error. Any other failure closes the connection, because the
 * response can no longer have the announced length.
 */
export async function sendZip(
  response: ServerResponse,
  files: readonly ZipFile[],
  modified: Date,
): Promise<void> {
  if (zipSize(files) > MAX_ZIP_BYTES || files.length > MAX_ZIP_ENTRIES)
    throw new RangeError('too large for a plain zip')
  const disconnected = new AbortController()
  response.once('close', () => disconnected.abort())
  try {
    for await (const chunk of zipChunks(files, dosTime(modified), disconnected.signal)) {
      await writeChunk(response, chunk, disconnected)
      releaseBuffer(chunk)
    }
    response.end()
  } catch (error) {
    response.destroy()
    if (!disconnected.signal.aborted) throw error
  }
}

/** A write fails when the client has disconnected. */
function writeChunk(
  response: ServerResponse,
  chunk: Uint8Array,
  disconnected: AbortController,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  response.write(chunk, (error) => {
    if (!error) return resolve()
    disconnected.abort()
    reject(error)
  })
  return promise
}

async function* zipChunks(
  files: readonly ZipFile[],
  modified: number,
  disconnected: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const entries: ZipEntry[] = []
  let offset = 0
  for (const file of files) {
    const entry = newEntry(file, modified, offset)
    entries.push(entry)
    const header = localHeader(entry)
    offset += header.length + storedSize(file)
    if ('bytes' in file) {
      yield Buffer.concat([header, file.bytes])
      continue
    }
    yield header
    const crc = yield* fileChunks(file, disconnected)
    if (!entry.has_descriptor) continue
    entry.crc = crc
    await file.onChecksum?.(crc)
    yield dataDescriptor(entry)
  }
  const directory = Buffer.concat(entries.map(directoryRecord))
  yield Buffer.concat([directory, endOfDirectory(entries.length, offset, directory.length)])
}

function newEntry(file: ZipFile, modified: number, offset: number): ZipEntry {
  const size = 'bytes' in file ? file.bytes.length : file.size
  const crc = 'bytes' in file ? crc32(file.bytes) : file.crc
  return {
    path: file.name,
    kind: 'file',
    executable: false,
    deflated: false,
    has_descriptor: crc === undefined,
    modified,
    crc: crc ?? 0,
    size,
    compressed: size,
    offset,
  }
}

/**
 * Yields the bytes of a file and returns their checksum if it was unknown. A file of another size
 * than announced is an error, since the length of the zip has already been sent.
 */
async function* fileChunks(
  { name, size, open, crc: known }: StreamedFile,
  disconnected: AbortSignal,
): AsyncGenerator<Uint8Array, number> {
  const source = addAbortSignal(disconnected, await open())
  let crc = 0
  let remaining = size
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    remaining -= chunk.length
    if (remaining < 0) break
    if (known === undefined) crc = crc32(chunk, crc)
    yield chunk
  }
  if (remaining !== 0)
    throw new Error(
      `${name} has ${remaining < 0 ? 'more' : 'fewer'} bytes than the expected ${size}`,
    )
  return crc
}
