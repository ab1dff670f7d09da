import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import {
  crc32,
  createBrotliDecompress,
  createGunzip,
  createInflateRaw,
  inflateRaw,
} from 'node:zlib'
import { type ByteRange, etagMatches, readRange } from '../core/http/file-headers.ts'
import { createCache } from '../core/runtime/cache.ts'
import { limitConcurrency } from '../core/runtime/concurrency.ts'
import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { KIB, MIB } from '../core/runtime/units.ts'
import { inspectBlocks } from '../core/storage/file-stream.ts'
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
const CACHED_BYTES = 32 * MIB

/** Small files as they are sent, which were compared with their checksum once. */
const smallBodies = perCore(() =>
  createCache<Buffer>({ max_bytes: CACHED_BYTES, bytesOf: ({ length }) => length }),
)
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
    const bytes = await smallBody(core, table, entry, form)
    const part = range ? bytes.subarray(range.start, range.end + 1) : bytes
    return void response.writeHead(status, head).end(part)
  }
  const send = async (reached: () => void) => {
    if (response.destroyed) return
    const body = await bodyStreams(core, table, entry, media, form, range && { ...range, reached })
    const { streams, before, after } = body
    response.writeHead(status, head)
    if (before) response.write(before)
    await pipeline([...streams, response], { end: false })
    response.end(after)
  }
  const is_far = form.how === 'unpack' && range !== undefined && range.start > FREE_SKIP_BYTES
  return is_far ? inTurn(core, send) : send(() => {})
}

/** What a range of a compressed file may skip at any time. */
const FREE_SKIP_BYTES = 4 * MIB
/** Everything before a range of a compressed file has to be unpacked, which costs processor time. */
const MAX_SKIPPING = 2
const skipping = perCore(() => limitConcurrency(MAX_SKIPPING))

/** Others wait until the range begins, but not until a slow client has it. */
function inTurn(core: Core, send: (reached: () => void) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    skipping(core)(
      () =>
        new Promise<void>((reached) => {
          send(reached).then(resolve, reject).finally(reached)
        }),
    )
  })
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

/** The whole body of a small file, which was compared with its checksum. */
async function smallBody(
  core: Core,
  table: EntryTable,
  entry: PlayEntry,
  { how }: Form,
): Promise<Buffer> {
  const cache = smallBodies(core)
  const key = `${table.key}/${entry.offset}/${how}`
  const cached = cache.get(key)
  if (cached) return cached
  const packed = await readSmall(core, table, entry)
  const contents =
    entry.method === STORED
      ? packed
      : await inflateAtOnce(packed, { maxOutputLength: Math.max(1, entry.size) }).catch(damaged)
  if (contents.length !== entry.size || crc32(contents) !== entry.crc32) damaged()
  const body =
    how === 'gzip_wrap' ? Buffer.concat([GZIP_HEADER, packed, gzipTrailer(entry)]) : contents
  cache.set(key, body)
  return body
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

/** A range, and what is called when all bytes before it were skipped. */
type SentRange = ByteRange & { reached: () => void }
type Body = { streams: [Readable, ...Transform[]]; before?: Buffer; after?: Buffer }

/** The bytes, what they pass on their way, and what is sent before and after them. */
async function bodyStreams(
  core: Core,
  table: EntryTable,
  entry: PlayEntry,
  { coding }: MediaType,
  { how }: Form,
  range: SentRange | undefined,
): Promise<Body> {
  if (how === 'as_is' && range)
    return { streams: [await streamEntry(core, table, entry, range.start, range.end)] }
  const source = await streamEntry(core, table, entry)
  if (how === 'gzip_wrap') {
    // The client checks the contents by the trailer.
    const whole = lengthCheck(entry.compressed)
    return { streams: checked(source, whole), before: GZIP_HEADER, after: gzipTrailer(entry) }
  }
  const check = contentsCheck(entry)
  if (how === 'as_is') return { streams: checked(source, check) }
  const inflated: Transform[] = entry.method === STORED ? [] : [createInflateRaw()]
  const contents = [source, ...inflated, checkBlocks(check)] as const
  if (how === 'decode')
    return { streams: [...contents, coding === 'br' ? createBrotliDecompress() : createGunzip()] }
  return { streams: range ? [...contents, cut(range)] : [...contents] }
}

/** Takes the blocks of a file one by one, and throws if they are not what they should be. */
type Check = { add(block: Buffer): void; end(): void }

function lengthCheck(expected: number): Check {
  let received = 0
  return {
    add(block) {
      received += block.length
    },
    end() {
      if (received !== expected) throw new DamagedObject('The object is too short')
    },
  }
}

function contentsCheck({ size, crc32: expected }: PlayEntry): Check {
  let crc = 0
  let received = 0
  return {
    add(block) {
      crc = crc32(block, crc)
      received += block.length
    },
    end() {
      if (received !== size || crc !== expected) damaged()
    },
  }
}

/** Without a stream in between where the storage can do it: that would cost half the speed. */
function checked(source: Readable, check: Check): [Readable, ...Transform[]] {
  const is_inspected = inspectBlocks(source, (block, is_last) => {
    check.add(block)
    if (is_last) check.end()
  })
  return is_inspected ? [source] : [source, checkBlocks(check)]
}

/** Keeps the last block until all of them were checked. */
function checkBlocks(check: Check): Transform {
  let last: Buffer | undefined
  return new Transform({
    transform(block: Buffer, _encoding, done) {
      check.add(block)
      const previous = last
      last = block
      done(null, previous)
    },
    flush(done) {
      try {
        check.end()
        done(null, last)
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

function cut({ start, end, reached }: SentRange): Transform {
  let at = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const from = Math.max(start - at, 0)
      const to = Math.min(end + 1 - at, chunk.length)
      at += chunk.length
      if (at > start) reached()
      done(null, from < to ? chunk.subarray(from, to) : undefined)
    },
  })
}
