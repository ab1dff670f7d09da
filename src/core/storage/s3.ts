import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { AwsV4Signer } from 'aws4fetch'
import type { S3mini } from 's3mini'
import { KIB, MIB, MINUTE_MS, SECOND_MS } from '../runtime/units.ts'
import { fetchWithRetry } from './s3-transport.ts'
import {
  type ByteRange,
  checkKey,
  checkRange,
  isKey,
  type ListedObject,
  MultipartUploadNotFound,
  type MultipartUploads,
  ObjectStoreUnavailable,
  ObjectTooLarge,
  type PutOptions,
  type Storage,
  type StoredObject,
  type UploadedPart,
} from './storage.ts'

/** The size of a part, which is held in memory until it is sent. */
export const PART_BYTES = 8 * MIB
/** The protocol requires this size of every part but the last. */
export const MIN_PART_BYTES = 5 * MIB
export const MAX_PARTS = 10_000
/** How much the store copies in one request, which it must answer in time; the protocol has 5 GiB. */
const COPY_BYTES = 256 * MIB
const FIRST_BLOCK_BYTES = 64 * KIB
const PARALLEL_PARTS = 2
const SPARE_MS = 10 * SECOND_MS
const TIMEOUT_MS = MINUTE_MS
const PAGE_SIZE = 1000

export type ObjectStorage = Storage & Required<Pick<Storage, 'parts' | 'link'>>

/**
 * `url` is https://KEY:SECRET@host/bucket?region=…; `public_url` is the address of the same bucket
 * for players, if that differs.
 */
export async function createS3Storage(
  url: string,
  public_url?: string,
  copy_bytes = COPY_BYTES,
): Promise<ObjectStorage> {
  const { S3mini } = await import('s3mini')
  // Not with the first request, which could not load it while files cannot be opened.
  const { AwsV4Signer: Signer } = await import('aws4fetch')
  const { username, password, origin, pathname, searchParams } = new URL(url)
  const account = {
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    region: searchParams.get('region') ?? 'us-east-1',
  }
  const endpoint = origin + pathname.replace(/\/$/, '')
  const bucket = new S3mini({
    ...account,
    endpoint,
    requestAbortTimeout: TIMEOUT_MS,
    fetch: fetchWithRetry,
  })
  const parts = createMultipartUploads(bucket)
  const copy = createCopies({ Signer, account, endpoint, bucket, parts, copy_bytes })
  const sizeOfKey = (key: string) => {
    // The client wraps the error here in one of its own.
    const request = () =>
      bucket
        .getContentLength(checkKey(key))
        .catch((error: Error) => Promise.reject(error.cause ?? error))
    return orUnavailable(request).catch(whenMissing)
  }
  const remove = async (key: string) => {
    await orUnavailable(() => bucket.deleteObject(checkKey(key)))
  }
  return {
    parts,
    link: createLinks(Signer, account, public_url ?? endpoint),
    put: (key, source, options) => put({ bucket, parts, key: checkKey(key), source, options }),
    async adopt(key, path) {
      const source = createReadStream(path, { highWaterMark: MIB })
      await put({ bucket, parts, key: checkKey(key), source })
    },
    get: (key, range) => get(bucket, checkKey(key), range),
    async stat(key) {
      const size = await sizeOfKey(key)
      return size === null ? null : { size }
    },
    remove,
    discard: remove,
    async move(from, to) {
      const size = await sizeOfKey(from)
      if (size === null) return false
      await copy(checkKey(from), checkKey(to), size)
      // The status of a copy can be 200 although it failed.
      if ((await sizeOfKey(to)) !== size)
        throw new ObjectStoreUnavailable('The object store did not copy the object')
      await remove(from)
      return true
    },
    list: (prefix) => list(bucket, prefix),
    async probe() {
      await writeOrUnavailable(() => bucket.putObject('probe', Buffer.from('probe')))
    },
  }
}

type Account = { accessKeyId: string; secretAccessKey: string; region: string }

/**
 * Signed links that anyone may GET until they expire (AWS signature version 4, in the query). The
 * signer is `aws4fetch`: it gave the same signatures as our own code did, for at most 0.1 ms more
 * per link. `s3mini` signs links too, but leaves characters such as parentheses in the file name
 * unescaped, and stores refuse such links.
 */
function createLinks(
  Signer: typeof AwsV4Signer,
  account: Account,
  bucket_url: string,
): ObjectStorage['link'] {
  // The signer keeps its signing keys here, one per day.
  const cache = new Map<string, ArrayBuffer>()
  return async (key, { disposition, type, seconds }) => {
    const url = new URL(`${bucket_url}/${checkKey(key)}`)
    url.searchParams.set('response-content-disposition', disposition)
    url.searchParams.set('response-content-type', type)
    url.searchParams.set('X-Amz-Expires', String(seconds))
    const signer = new Signer({
      ...account,
      url: url.href,
      method: 'GET',
      service: 's3',
      signQuery: true,
      cache,
    })
    const signed = await signer.sign()
    // Not every store reads + as a space.
    return signed.url.href.replaceAll('+', '%20')
  }
}

type Copies = {
  Signer: typeof AwsV4Signer
  account: Account
  endpoint: string
  bucket: S3mini
  parts: MultipartUploads
  copy_bytes: number
}

/** Copies within the bucket, without sending the bytes: a large object in parts. */
function createCopies({ Signer, account, endpoint, bucket, parts, copy_bytes }: Copies) {
  async function copyPart(url: URL, headers: Record<string, string>): Promise<string> {
    const signer = new Signer({
      ...account,
      url: url.href,
      method: 'PUT',
      headers,
      service: 's3',
    })
    const { url: signed_url, headers: signed_headers } = await signer.sign()
    const [answer, text] = await writeOrUnavailable(async () => {
      const response = await fetchWithRetry(signed_url, { method: 'PUT', headers: signed_headers })
      return [response, await response.text()] as const
    })
    const etag = /<ETag>(?:&quot;|")?([^<"&]+)/.exec(text)?.[1]
    if (answer.ok && etag) return etag
    throw new ObjectStoreUnavailable(`The object store did not copy a part: ${answer.status}`)
  }
  async function copyParts(from: string, to: string, size: number) {
    const upload = await parts.begin(to)
    try {
      const copied: UploadedPart[] = []
      for (let start = 0; start < size; start += copy_bytes) {
        const number = copied.length + 1
        const url = new URL(`${endpoint}/${to}`)
        url.searchParams.set('partNumber', String(number))
        url.searchParams.set('uploadId', upload)
        const end = Math.min(start + copy_bytes, size) - 1
        const etag = await copyPart(url, {
          'x-amz-copy-source': `${new URL(endpoint).pathname}/${from}`,
          'x-amz-copy-source-range': `bytes=${start}-${end}`,
        })
        copied.push({ number, etag })
      }
      await parts.complete(to, upload, copied)
    } catch (error) {
      await parts.abort(to, upload).catch(() => {})
      throw asUnavailable(error)
    }
  }
  return async (from: string, to: string, size: number): Promise<void> => {
    if (size > copy_bytes) return copyParts(from, to, size)
    await orUnavailable(() => bucket.copyObject(from, to))
  }
}

type ServiceError = Error & { status?: number }
const isMissing = ({ status }: ServiceError) => status === 404
const whenMissing = (error: ServiceError) => {
  if (isMissing(error)) return null
  throw error
}

/**
 * The statuses of a missing object or range. Any other error means that the store is unavailable.
 */
const expectedStatuses = new Set([404, 416])

async function orUnavailable<T>(
  request: () => Promise<T>,
  expected = expectedStatuses,
): Promise<T> {
  try {
    return await request()
  } catch (error) {
    const { status, message } = error as ServiceError
    if (status !== undefined && expected.has(status)) throw error
    throw new ObjectStoreUnavailable(`The object store answered: ${message}`, { cause: error })
  }
}

/** For writes: there a 404 means that the bucket is missing. */
const writeOrUnavailable = <T>(request: () => Promise<T>) => orUnavailable(request, new Set())

const sizeOf = ({ headers }: Response) =>
  Number(headers.get('content-range')?.split('/')[1] ?? headers.get('content-length'))

/**
 * The tag of an object encrypted with a customer's key looks like a hash of the bytes but is none.
 */
function etagOf(headers: Headers): string | undefined {
  const own_key = headers.has('x-amz-server-side-encryption-customer-algorithm')
  if (own_key || headers.get('x-amz-server-side-encryption')?.includes('kms')) return undefined
  return headers.get('etag')?.replaceAll('"', '')
}

/**
 * A connection that breaks during an object counts as an unavailable store. `destroy`, because the
 * stream keeps the error it gets: who reads the stream later is given that one.
 */
function streamOf(body: ReadableStream): Readable {
  const stream = Readable.fromWeb(body)
  const destroy = stream.destroy.bind(stream)
  stream.destroy = (error) => {
    const message = `The connection to the object store broke: ${error?.message}`
    return destroy(error && new ObjectStoreUnavailable(message, { cause: error }))
  }
  // It may break before anyone reads it; without a listener, that would end the process.
  stream.on('error', () => {})
  return stream
}

async function get(
  bucket: S3mini,
  key: string,
  range: ByteRange | undefined,
): Promise<StoredObject | null> {
  checkRange(range)
  const request = () =>
    range ? bucket.getObjectRaw(key, false, range.start, range.end + 1) : bucket.getObjectRaw(key)
  try {
    const answer = await orUnavailable(request)
    const body = answer.body as ReadableStream | null
    return {
      stream: body ? streamOf(body) : Readable.from([]),
      size: sizeOf(answer),
      etag: etagOf(answer.headers),
    }
  } catch (error) {
    if (isMissing(error as ServiceError)) return null
    if ((error as ServiceError).status === 416)
      throw new RangeError('The range begins past the end of the object')
    throw error
  }
}

type Put = {
  bucket: S3mini
  parts: MultipartUploads
  key: string
  source: Buffer | AsyncIterable<Uint8Array>
  options?: PutOptions | undefined
}

/** Uploads in one request if the object is small, else in parts, of which a few run in parallel. */
async function put({ bucket, parts, key, source, options = {} }: Put) {
  const writer = partsWriter(parts, key, options)
  try {
    for await (const piece of Buffer.isBuffer(source) ? [source] : source) await writer.write(piece)
    const { size, upload } = writer
    const bytes = writer.rest()
    if (upload) await parts.complete(key, upload, await writer.end())
    else {
      const headers = hashHeader(bytes, options.checked)
      await writeOrUnavailable(() => bucket.putObject(key, bytes, undefined, undefined, headers))
    }
    return { size: size() }
  } catch (error) {
    await writer.abort()
    throw asUnavailable(error)
  }
}

/**
 * A store that no longer knows an upload has most likely completed it, and the answer was lost. The
 * caller tries again, as after any other failure.
 */
export const asUnavailable = (error: unknown): unknown =>
  error instanceof MultipartUploadNotFound
    ? new ObjectStoreUnavailable('The object store has no such parts', { cause: error })
    : error

/** The store refuses bytes with another hash. MD5 is the only hash that every store supports. */
const hashHeader = (bytes: Uint8Array, checked = false): Record<string, string> =>
  checked ? { 'content-md5': createHash('md5').update(bytes).digest('base64') } : {}

type WriterOptions = {
  upload?: string
  first_number?: number
  /** How many bytes will be written, if that is known. */
  expected_bytes?: number
} & PutOptions

/** Collects bytes into parts and sends them. `end` sends the remaining bytes as the last part. */
export function partsWriter(parts: MultipartUploads, key: string, options: WriterOptions = {}) {
  const { first_number = 1, max_bytes = Number.POSITIVE_INFINITY, checked } = options
  const { expected_bytes = 0 } = options
  let total = 0
  let number = first_number
  let { upload } = options
  const uploads: Promise<UploadedPart>[] = []
  const in_progress = new Set<Promise<UploadedPart>>()
  const buffer = createPartBuffer(expected_bytes >= PART_BYTES)

  async function send() {
    const { bytes, release } = buffer.take()
    upload ??= await parts.begin(key)
    while (in_progress.size >= PARALLEL_PARTS) await Promise.race(in_progress)
    const part = parts.put({ key, upload, number: number++, bytes, checked })
    uploads.push(part)
    in_progress.add(part)
    // Awaited later; until then a failure must not count as unhandled.
    part.then(release, () => {}).finally(() => in_progress.delete(part))
  }
  return {
    get upload() {
      return upload
    },
    size: () => total,
    rest: buffer.rest,
    async write(piece: Uint8Array) {
      total += piece.length
      if (total > max_bytes) throw new ObjectTooLarge(max_bytes)
      for (let at = 0; at < piece.length; ) {
        at += buffer.add(piece, at)
        if (buffer.size() === PART_BYTES) await send()
      }
    },
    /** Sends the remaining bytes, if any; resolves with every part once the store has them. */
    async end() {
      if (buffer.size() > 0) await send()
      return Promise.all(uploads)
    },
    /** Resolves with the parts sent so far; the caller keeps the remaining bytes. */
    settled: () => Promise.all(uploads),
    async abort() {
      await Promise.allSettled(uploads)
      if (upload && !options.upload) await parts.abort(key, upload).catch(() => {})
    },
  }
}

/** Blocks of parts that were sent. The next upload uses them again if it comes soon. */
const spare: Buffer[] = []
const dropSpare = debounce(() => spare.splice(0), SPARE_MS)

function keepSpare(block: Buffer) {
  if (spare.length < PARALLEL_PARTS + 1) spare.push(block)
  dropSpare()
}

/** Calls a function when it has not been requested for some time. */
function debounce(work: () => void, milliseconds: number): () => void {
  let timer: NodeJS.Timeout | undefined
  return () => {
    timer = timer?.refresh() ?? setTimeout(work, milliseconds).unref()
  }
}

/**
 * Collects pieces in one block of memory, because the sender may reuse the memory of its pieces.
 * `is_large`: at least one part will be full.
 */
function createPartBuffer(is_large: boolean) {
  let block: Buffer = Buffer.alloc(0)
  let filled = 0
  let is_growing = !is_large
  /** Starts small, because most objects are much smaller than a part. */
  function grow(min_bytes: number) {
    const next = is_growing ? Math.max(min_bytes, FIRST_BLOCK_BYTES, block.length * 4) : PART_BYTES
    const size = Math.min(PART_BYTES, next)
    const reused = size === PART_BYTES ? spare.pop() : undefined
    const larger = reused ?? Buffer.allocUnsafeSlow(size)
    block.copy(larger, 0, 0, filled)
    block = larger
  }
  return {
    size: () => filled,
    rest: () => block.subarray(0, filled),
    /** Returns how many bytes of the piece were added. */
    add(piece: Uint8Array, from: number): number {
      const count = Math.min(piece.length - from, PART_BYTES - filled)
      if (filled + count > block.length) grow(filled + count)
      block.set(piece.subarray(from, from + count), filled)
      filled += count
      return count
    },
    take() {
      const full = block
      const bytes = block.subarray(0, filled)
      block = Buffer.alloc(0)
      filled = 0
      is_growing = false
      return { bytes, release: () => void (full.length === PART_BYTES && keepSpare(full)) }
    },
  }
}

function createMultipartUploads(bucket: S3mini): MultipartUploads {
  const throwNotFound = (error: ServiceError) => {
    if (isMissing(error)) throw new MultipartUploadNotFound('The object store has no such upload')
    throw error
  }
  return {
    begin: (key) =>
      writeOrUnavailable(() =>
        bucket.getMultipartUploadId(checkKey(key), 'application/octet-stream'),
      ),
    async put({ key, upload, number, bytes, checked }) {
      const headers = hashHeader(bytes, checked)
      const { etag } = await orUnavailable(() =>
        bucket.uploadPart(checkKey(key), upload, bytes, number, {}, undefined, headers),
      ).catch(throwNotFound)
      return { number, etag }
    },
    async complete(key, upload, parts) {
      const uploaded = parts.map(({ number, etag }) => ({ partNumber: number, etag }))
      const result = await orUnavailable(() =>
        bucket.completeMultipartUpload(checkKey(key), upload, uploaded),
      ).catch(throwNotFound)
      // The status can be 200 although the body reports an error.
      if (!result.etag) throw new ObjectStoreUnavailable('The object store did not join the parts')
    },
    async abort(key, upload) {
      const request = () => bucket.abortMultipartUpload(checkKey(key), upload)
      await orUnavailable(request).catch(whenMissing)
    },
    abandoned: (before) => findAbandoned(bucket, before),
  }
}

type ListedUpload = { Key: string; UploadId: string; Initiated: string }
type UploadsPage = {
  Upload?: ListedUpload | ListedUpload[]
  IsTruncated?: string
  NextKeyMarker?: string
  NextUploadIdMarker?: string
}

async function findAbandoned(
  bucket: S3mini,
  before: Date,
): Promise<{ key: string; upload: string }[]> {
  const uploads: ListedUpload[] = []
  let marker: Record<string, string> | undefined = {}
  while (marker) {
    const from: Record<string, string> = marker
    const answer = (await orUnavailable(() =>
      bucket.listMultipartUploads('/', '', 'GET', from),
    )) as unknown as Record<string, UploadsPage>
    const page = Object.values(answer).find((value) => value && typeof value === 'object') ?? {}
    uploads.push(...[page.Upload ?? []].flat())
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker = '' } = page
    marker =
      IsTruncated === 'true' && NextKeyMarker
        ? { 'key-marker': NextKeyMarker, 'upload-id-marker': NextUploadIdMarker }
        : undefined
  }
  return uploads
    .filter(({ Key, Initiated }) => isKey(Key) && new Date(Initiated) < before)
    .map(({ Key, UploadId }) => ({ key: Key, upload: UploadId }))
}

async function* list(bucket: S3mini, prefix: string): AsyncGenerator<ListedObject> {
  let next: string | undefined
  do {
    const page = await orUnavailable(() => bucket.listObjectsPaged('/', prefix, PAGE_SIZE, next))
    // An empty bucket has a page.
    if (!page) throw new ObjectStoreUnavailable('There is no such bucket')
    for (const { Key, Size } of page.objects ?? [])
      if (isKey(Key)) yield { key: Key, size: Number(Size) }
    next = page.nextContinuationToken
  } while (next)
}
