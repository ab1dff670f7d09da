import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { S3mini } from 's3mini'
import { hmacSha256, sha256 } from '../security/crypto.ts'
import { fetchWithRetry } from './s3-transport.ts'
import {
  type ByteRange,
  isKey,
  type ListedObject,
  ObjectTooLarge,
  type PutOptions,
  type Storage,
  type StoredObject,
} from './storage.ts'

const MIB = 1024 * 1024
/** What goes to the store in one piece, and is held in memory until it has gone. */
export const PART_BYTES = 8 * MIB
/** Every part but the last has at least so much, as the protocol demands. */
export const MIN_PART_BYTES = 5 * MIB
export const MAX_PARTS = 10_000
const FIRST_BLOCK_BYTES = 64 * 1024
const TOGETHER = 2
const TIMEOUT_MS = 60_000
const PAGE = 1000

export type UploadedPart = { number: number; etag: string }
/** An object that comes into being in parts, by whichever process; nobody sees it before it is complete. */
export type MultipartUploads = {
  begin(key: string): Promise<string>
  put(
    key: string,
    upload: string,
    number: number,
    bytes: Buffer,
    checked?: boolean,
  ): Promise<UploadedPart>
  complete(key: string, upload: string, parts: UploadedPart[]): Promise<void>
  /** Fine with one that is gone. */
  abort(key: string, upload: string): Promise<void>
  /** Those begun before then and never completed. */
  abandoned(before: Date): Promise<{ key: string; upload: string }[]>
}
export type ObjectStorage = Storage & Required<Pick<Storage, 'parts' | 'link'>>

/** The store does not have what was begun there, or has it no longer. */
export class MultipartUploadNotFound extends Error {}
/** The store cannot do it now. Carries the code of a disk that fails, which is what it is to whoever stores something. */
export class ObjectStoreUnavailable extends Error {
  readonly code = 'EIO'
}

/** https://KEY:SECRET@host/bucket?region=…; `public_url` is where players reach the same bucket, if that is somewhere else. */
export async function createS3Storage(url: string, public_url?: string): Promise<ObjectStorage> {
  const { S3mini } = await import('s3mini')
  const { username, password, origin, pathname, searchParams } = new URL(url)
  const account = {
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
  }
  const region = searchParams.get('region') ?? 'us-east-1'
  const make = (endpoint: string) =>
    new S3mini({
      ...account,
      region,
      endpoint,
      requestAbortTimeout: TIMEOUT_MS,
      fetch: fetchWithRetry,
    })
  const bucket = make(origin + pathname.replace(/\/$/, ''))
  const outside = new URL(public_url ?? origin + pathname.replace(/\/$/, ''))
  const parts = partsOf(bucket)
  return {
    parts,
    link: async (key, { disposition, type, seconds }) =>
      presign(
        `${outside.origin}${outside.pathname}/${checked(key)}`,
        { ...account, region },
        seconds,
        {
          'response-content-disposition': disposition,
          'response-content-type': type,
        },
      ),
    put: (key, source, options) => put(bucket, parts, checked(key), source, options),
    async adopt(key, path) {
      await put(bucket, parts, checked(key), createReadStream(path, { highWaterMark: MIB }))
    },
    get: (key, range) => get(bucket, checked(key), range),
    async stat(key) {
      // The client wraps what went wrong here in an error of its own.
      const ask = () =>
        bucket
          .getContentLength(checked(key))
          .catch((error: Error) => Promise.reject(error.cause ?? error))
      const size = await trouble(ask).catch(whenMissing)
      return size === null ? null : { size }
    },
    async remove(key) {
      await trouble(() => bucket.deleteObject(checked(key)))
    },
    list: (prefix) => list(bucket, prefix),
    async probe() {
      await writing(() => bucket.putObject('probe', Buffer.from('probe')))
    },
  }
}

type Account = { accessKeyId: string; secretAccessKey: string; region: string }
/** As the protocol spells it: more than a URL has to escape. The client leaves such characters alone, and its links with them are refused. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** A link that whoever has it may GET until it ends (AWS signature version 4, in the query). */
export function presign(
  url: string,
  account: Account,
  seconds: number,
  query: Record<string, string>,
  now = new Date(),
): string {
  const { host, pathname } = new URL(url)
  const moment = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [moment.slice(0, 8), account.region, 's3', 'aws4_request']
  const all = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': [account.accessKeyId, ...scope].join('/'),
    'X-Amz-Date': moment,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
    ...query,
  }
  const pairs = Object.entries(all).map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
  const sorted = pairs.sort().join('&')
  const request = `GET\n${pathname}\n${sorted}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`
  const text = ['AWS4-HMAC-SHA256', moment, scope.join('/'), sha256(request).toString('hex')].join(
    '\n',
  )
  const key = scope.reduce<string | Buffer>(
    (secret, word) => hmacSha256(secret, word),
    `AWS4${account.secretAccessKey}`,
  )
  return `${url}?${sorted}&X-Amz-Signature=${hmacSha256(key, text).toString('hex')}`
}

function checked(key: string): string {
  if (!isKey(key)) throw new TypeError('Not a storage key')
  return key
}

type ServiceError = Error & { status?: number }
const isMissing = ({ status }: ServiceError) => status === 404
const whenMissing = (error: ServiceError) => {
  if (isMissing(error)) return null
  throw error
}

/** What the store says on purpose, of an object or a range that is not there. All else is trouble: its own, on the way, or in how it was set up. */
const onPurpose = new Set([404, 416])

async function trouble<T>(ask: () => Promise<T>, answers = onPurpose): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const { status, message } = error as ServiceError
    if (status !== undefined && answers.has(status)) throw error
    throw new ObjectStoreUnavailable(`The object store answered: ${message}`, { cause: error })
  }
}

/** Where nothing can be missing but the bucket. */
const writing = <T>(ask: () => Promise<T>) => trouble(ask, new Set())

const sizeOf = ({ headers }: Response) =>
  Number(headers.get('content-range')?.split('/')[1] ?? headers.get('content-length'))

/** Of objects that are encrypted with keys of someone's own, the tag looks like a hash of the bytes and is none. */
function hashIn(headers: Headers): string | undefined {
  const own_key = headers.has('x-amz-server-side-encryption-customer-algorithm')
  if (own_key || headers.get('x-amz-server-side-encryption')?.includes('kms')) return undefined
  return headers.get('etag')?.replaceAll('"', '')
}

/** A line that breaks in the middle of an object is the store's trouble, as one that cannot be had at all. */
function streamOf(body: ReadableStream): Readable {
  const stream = Readable.fromWeb(body)
  const end = stream._destroy.bind(stream)
  stream._destroy = (error, done) =>
    end(
      error &&
        new ObjectStoreUnavailable(`The object store broke off: ${error.message}`, {
          cause: error,
        }),
      done,
    )
  return stream
}

async function get(
  bucket: S3mini,
  key: string,
  range: ByteRange | undefined,
): Promise<StoredObject | null> {
  if (range && !(range.start >= 0 && range.end >= range.start))
    throw new RangeError('Not a byte range')
  const ask = () =>
    range ? bucket.getObjectRaw(key, false, range.start, range.end + 1) : bucket.getObjectRaw(key)
  try {
    const answer = await trouble(ask)
    const body = answer.body as ReadableStream | null
    return {
      stream: body ? streamOf(body) : Readable.from([]),
      size: sizeOf(answer),
      etag: hashIn(answer.headers),
    }
  } catch (error) {
    if (isMissing(error as ServiceError)) return null
    if ((error as ServiceError).status === 416)
      throw new RangeError('The range begins past the end of the object')
    throw error
  }
}

/** In one request where it fits into one; in parts, a few of them under way at once, where it does not. */
async function put(
  bucket: S3mini,
  parts: MultipartUploads,
  key: string,
  source: Buffer | AsyncIterable<Uint8Array>,
  options: PutOptions = {},
) {
  const writer = partsWriter(parts, key, options)
  try {
    for await (const piece of Buffer.isBuffer(source) ? [source] : source) await writer.write(piece)
    const { size, upload } = writer
    const bytes = writer.rest()
    if (upload) await parts.complete(key, upload, await writer.end())
    else
      await writing(() =>
        bucket.putObject(key, bytes, undefined, undefined, hashOf(bytes, options.checked)),
      )
    return { size: size() }
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** The store refuses bytes that do not have it. The oldest hash of the protocol, and the only one that every store knows. */
const hashOf = (bytes: Uint8Array, checked = false): Record<string, string> =>
  checked ? { 'content-md5': createHash('md5').update(bytes).digest('base64') } : {}

type Begun = { upload?: string; first_number?: number } & PutOptions

/** Gathers bytes to parts and sends them. `end` sends what is left as the last part. */
export function partsWriter(parts: MultipartUploads, key: string, begin: Begun = {}) {
  const { upload, first_number = 1, max_bytes = Number.POSITIVE_INFINITY, checked } = begin
  let [total, number] = [0, first_number]
  let begun = upload
  const sent: Promise<UploadedPart>[] = []
  const flying = new Set<Promise<UploadedPart>>()
  const gather = gatherer()

  async function send() {
    const { bytes, release } = gather.take()
    begun ??= await parts.begin(key)
    while (flying.size >= TOGETHER) await Promise.race(flying)
    const going = parts.put(key, begun, number++, bytes, checked)
    sent.push(going)
    flying.add(going)
    // Told when it is awaited; until then nobody listens.
    going
      .catch(() => {})
      .finally(() => {
        flying.delete(going)
        release()
      })
  }
  return {
    get upload() {
      return begun
    },
    size: () => total,
    rest: gather.rest,
    async write(piece: Uint8Array) {
      total += piece.length
      if (total > max_bytes) throw new ObjectTooLarge(max_bytes)
      for (let at = 0; at < piece.length; ) {
        at += gather.add(piece, at)
        if (gather.size() === PART_BYTES) await send()
      }
    },
    /** Sends what is left, unless it is nothing; resolves with every part once the store has them. */
    async end() {
      if (gather.size() > 0) await send()
      return Promise.all(sent)
    },
    /** The parts alone; what is left stays with the caller. */
    settled: () => Promise.all(sent),
    async abort() {
      await Promise.allSettled(sent)
      if (begun && !upload) await parts.abort(key, begun).catch(() => {})
    },
  }
}

/** Copies pieces behind each other, because whoever hands them over may use their memory again; memory of parts that have gone is filled anew. */
function gatherer() {
  let block: Buffer = Buffer.alloc(0)
  let filled = 0
  const spare: Buffer[] = []
  /** Little for what is little: most objects are no part of anything. */
  function grow(least: number) {
    const size = Math.min(PART_BYTES, Math.max(least, FIRST_BLOCK_BYTES, block.length * 4))
    const larger =
      size === PART_BYTES
        ? (spare.pop() ?? Buffer.allocUnsafeSlow(size))
        : Buffer.allocUnsafeSlow(size)
    block.copy(larger, 0, 0, filled)
    block = larger
  }
  return {
    size: () => filled,
    rest: () => block.subarray(0, filled),
    /** Answers how much of it fitted. */
    add(piece: Uint8Array, from: number): number {
      const fits = Math.min(piece.length - from, PART_BYTES - filled)
      if (filled + fits > block.length) grow(filled + fits)
      block.set(piece.subarray(from, from + fits), filled)
      filled += fits
      return fits
    },
    take() {
      const [whole, bytes] = [block, block.subarray(0, filled)]
      ;[block, filled] = [spare.pop() ?? Buffer.alloc(0), 0]
      return { bytes, release: () => void (whole.length === PART_BYTES && spare.push(whole)) }
    },
  }
}

function partsOf(bucket: S3mini): MultipartUploads {
  const gone = (error: ServiceError) => {
    if (isMissing(error)) throw new MultipartUploadNotFound('The store has no such upload')
    throw error
  }
  return {
    begin: (key) =>
      writing(() => bucket.getMultipartUploadId(checked(key), 'application/octet-stream')),
    async put(key, upload, number, bytes, held) {
      const headers = hashOf(bytes, held)
      const { etag } = await trouble(() =>
        bucket.uploadPart(checked(key), upload, bytes, number, {}, undefined, headers),
      ).catch(gone)
      return { number, etag }
    },
    async complete(key, upload, parts) {
      const listed = parts.map(({ number, etag }) => ({ partNumber: number, etag }))
      const done = await trouble(() =>
        bucket.completeMultipartUpload(checked(key), upload, listed),
      ).catch(gone)
      // It may say 200 and then, in the body, that it failed.
      if (!done.etag) throw new ObjectStoreUnavailable('The object store did not join the parts')
    },
    async abort(key, upload) {
      await trouble(() => bucket.abortMultipartUpload(checked(key), upload)).catch(whenMissing)
    },
    abandoned: (before) => abandoned(bucket, before),
  }
}

type ListedUpload = { Key: string; UploadId: string; Initiated: string }
type UploadsPage = {
  Upload?: ListedUpload | ListedUpload[]
  IsTruncated?: string
  NextKeyMarker?: string
  NextUploadIdMarker?: string
}

async function abandoned(bucket: S3mini, before: Date): Promise<{ key: string; upload: string }[]> {
  const found: ListedUpload[] = []
  let after: Record<string, string> | undefined = {}
  while (after) {
    const from: Record<string, string> = after
    const answer = (await trouble(() =>
      bucket.listMultipartUploads('/', '', 'GET', from),
    )) as unknown as Record<string, UploadsPage>
    const page = Object.values(answer).find((one) => one && typeof one === 'object') ?? {}
    found.push(...[page.Upload ?? []].flat())
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker = '' } = page
    after =
      IsTruncated === 'true' && NextKeyMarker
        ? { 'key-marker': NextKeyMarker, 'upload-id-marker': NextUploadIdMarker }
        : undefined
  }
  return found
    .filter(({ Key, Initiated }) => isKey(Key) && new Date(Initiated) < before)
    .map(({ Key, UploadId }) => ({ key: Key, upload: UploadId }))
}

async function* list(bucket: S3mini, prefix: string): AsyncGenerator<ListedObject> {
  let next: string | undefined
  do {
    const page = await trouble(() => bucket.listObjectsPaged('/', prefix, PAGE, next))
    for (const { Key, Size } of page?.objects ?? [])
      if (isKey(Key)) yield { key: Key, size: Number(Size) }
    next = page?.nextContinuationToken
  } while (next)
}
