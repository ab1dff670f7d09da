import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable, Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  crc32,
  createBrotliDecompress,
  createGunzip,
  createInflateRaw,
  inflateRaw,
} from 'node:zlib'
import { type ByteRange, etagMatches, readRange } from '../core/http/file-headers.ts'
import type { Core } from '../core/runtime/core.ts'
import { KIB } from '../core/runtime/units.ts'
import { DamagedObject } from '../core/storage/verified.ts'
import type { EntryTable, PlayEntry } from './entries.ts'
import { isSmall, readSmall, streamEntry } from './entry-bytes.ts'
import type { MediaType } from './media-types.ts'
import { chooseForm, type Form } from './negotiate.ts'

const STORED = 0
/** Unpacked in one piece, in a thread of zlib. */
const MAX_UNPACKED_AT_ONCE = 1024 * KIB
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const GZIP_TRAILER_BYTES = 8
const inflateAtOnce = promisify(inflateRaw) as (
  bytes: Buffer,
  options: { maxOutputLength: number },
) => Promise<Buffer>

type Sent = {
  core: Core
  request: IncomingMessage
  response: ServerResponse
  table: EntryTable
  entry: PlayEntry
  media: MediaType
  headers: Record<string, string>
}

/**
 * Sends a file of a build straight out of its zip. What a client gets is what was scanned: the
 * checksum is compared while the bytes pass, and a client never gets the last of wrong ones.
 */
export async function sendEntry({ core, request, response, table, entry, media, headers }: Sent) {
  const packing = entry.method === STORED ? 'stored' : 'deflated'
  const { range: range_header, 'accept-encoding': accepted } = request.headers
  const form = chooseForm(packing, media, accepted, range_header !== undefined)
  const etag = etagOf(entry, form)
  const length = lengthOf(entry, form)
  const common = {
    ...headers,
    etag,
    ...(form.coding && { 'content-encoding': form.coding }),
    ...(hasRanges(form) && { 'accept-ranges': 'bytes' }),
  }
  if (etagMatches(request.headers['if-none-match'], etag))
    return void response.writeHead(304, withoutType(common)).end()
  const range = hasRanges(form) ? requestedRange(request, etag, entry.size) : undefined
  if (range === null)
    return void response
      .writeHead(416, { ...withoutType(common), 'content-range': `bytes */${entry.size}` })
      .end()
  const size = range ? range.end - range.start + 1 : length
  const head = {
    ...common,
    ...(size !== undefined && { 'content-length': size }),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${entry.size}` }),
  }
  const status = range ? 206 : 200
  if (request.method === 'HEAD') return void response.writeHead(status, head).end()
  if (isSmall(entry) && form.how !== 'decode' && entry.size <= MAX_UNPACKED_AT_ONCE) {
    const bytes = await smallBody(await readSmall(core, table, entry), entry, form, range)
    return void response.writeHead(status, head).end(bytes)
  }
  const streams = await bodyStreams(core, table, entry, media, form, range)
  response.writeHead(status, head)
  await new Promise<void>((done, fail) =>
    pipeline([...streams, response], (error) => (error ? fail(error) : done())),
  )
}

const withoutType = ({ 'content-type': _, ...headers }: Record<string, string>) => headers

/** Each form of a file has its own tag, because their bytes differ. */
const etagOf = ({ sha256 }: PlayEntry, { how }: Form) =>
  how === 'gzip_wrap'
    ? `"${sha256}-gzip"`
    : how === 'decode'
      ? `"${sha256}-decoded"`
      : `"${sha256}"`

/** Undefined if only sending it tells. */
const lengthOf = ({ size, compressed }: PlayEntry, { how }: Form) =>
  how === 'decode'
    ? undefined
    : how === 'gzip_wrap'
      ? GZIP_HEADER.length + compressed + GZIP_TRAILER_BYTES
      : size

const hasRanges = ({ how }: Form) => how === 'as_is' || how === 'unpack'

/** Undefined for the whole file; null if it has no such bytes. */
function requestedRange({ headers }: IncomingMessage, etag: string, size: number) {
  const since = headers['if-range']
  return since === undefined || since === etag ? readRange(headers.range, size) : undefined
}

async function smallBody(
  packed: Buffer,
  entry: PlayEntry,
  { how }: Form,
  range: ByteRange | undefined,
): Promise<Buffer> {
  if (how === 'gzip_wrap') return Buffer.concat([GZIP_HEADER, packed, gzipTrailer(entry)])
  const contents =
    entry.method === STORED
      ? packed
      : await inflateAtOnce(packed, { maxOutputLength: Math.max(1, entry.size) }).catch(damaged)
  if (contents.length !== entry.size || crc32(contents) !== entry.crc32) damaged()
  return range ? contents.subarray(range.start, range.end + 1) : contents
}

function damaged(): never {
  throw new DamagedObject('The contents differ from their checksum')
}

function gzipTrailer({ crc32: crc, size }: PlayEntry): Buffer {
  const trailer = Buffer.alloc(GZIP_TRAILER_BYTES)
  trailer.writeUInt32LE(crc, 0)
  trailer.writeUInt32LE(size % 2 ** 32, 4)
  return trailer
}

/** The bytes and what they pass on their way. */
async function bodyStreams(
  core: Core,
  table: EntryTable,
  entry: PlayEntry,
  { coding }: MediaType,
  { how }: Form,
  range: ByteRange | undefined,
): Promise<[Readable, ...Transform[]]> {
  if (how === 'as_is' && range)
    return [await streamEntry(core, table, entry, range.start, range.end)]
  const source = await streamEntry(core, table, entry)
  if (how === 'gzip_wrap') return [source, wrapInGzip(entry)]
  const inflated: Transform[] = entry.method === STORED ? [] : [createInflateRaw()]
  const checked = [...inflated, checkContents(entry)]
  if (how === 'decode')
    return [source, ...checked, coding === 'br' ? createBrotliDecompress() : createGunzip()]
  return range ? [source, ...checked, cut(range)] : [source, ...checked]
}

/** The client checks the contents by the trailer; the length is checked here. */
function wrapInGzip(entry: PlayEntry): Transform {
  let received = 0
  let is_first = true
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (is_first) this.push(GZIP_HEADER)
      is_first = false
      received += chunk.length
      done(null, chunk)
    },
    flush(done) {
      if (received === entry.compressed) done(null, gzipTrailer(entry))
      else done(new DamagedObject('The object is too short'))
    },
  })
}

/** Keeps the last chunk until the checksum of everything is known. */
function checkContents({ size, crc32: expected }: PlayEntry): Transform {
  let crc = 0
  let received = 0
  let last: Buffer | undefined
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc)
      received += chunk.length
      const previous = last
      last = chunk
      done(null, previous)
    },
    flush(done) {
      if (received === size && crc === expected) done(null, last)
      else done(new DamagedObject('The contents differ from their checksum'))
    },
  })
}

function cut({ start, end }: ByteRange): Transform {
  let at = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const from = Math.max(start - at, 0)
      const to = Math.min(end + 1 - at, chunk.length)
      at += chunk.length
      done(null, from < to ? chunk.subarray(from, to) : undefined)
    },
  })
}
