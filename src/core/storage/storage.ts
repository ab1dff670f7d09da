import type { Readable } from 'node:stream'

/**
 * An object store: files on a disk (local.ts) or a bucket (s3.ts). A key is never also the folder
 * of other keys, because a file system cannot hold both.
 */
export type Storage = {
  /**
   * Resolves once the object would survive a power cut; until then the previous one stays in place,
   * whole. A `fresh` key has no previous object, and nobody reads it before this resolves. That
   * saves a step; after a crash a partial object may remain, which the module that chose the key
   * sweeps. With `checked` a remote store verifies a hash of what it received.
   */
  put(
    key: string,
    source: Buffer | AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<{ size: number }>
  /**
   * Makes an object of a file that is already on the disk, without copying it where possible. The
   * caller removes the file and no longer writes to it. Repeating the call changes nothing.
   */
  adopt(key: string, path: string): Promise<void>
  /**
   * `size` is that of the whole object; `end` is inclusive and may be past the last byte. Removing
   * the object does not interrupt a read that has started.
   */
  get(key: string, range?: ByteRange): Promise<StoredObject | null>
  stat(key: string): Promise<{ size: number } | null>
  /**
   * Local disks only: resolves once an object that exists would survive a power cut. Who wrote it
   * may still be working on that, or was killed before.
   */
  settle?(key: string): Promise<void>
  /**
   * Does nothing if there is no such object. The storage of a service keeps removed objects in the
   * trash for some days, because a database that is restored from a backup may still name them.
   */
  remove(key: string): Promise<void>
  /** Like `remove`, but at once: for what no record names, or what can be made again. */
  discard(key: string): Promise<void>
  /**
   * Gives an object another key, replacing what is there. Interrupted, it leaves the object under
   * at least one of the keys. Returns whether there was such an object.
   */
  move(from: string, to: string): Promise<boolean>
  /** Every key that starts with the prefix, in byte order. */
  list(prefix: string): AsyncIterable<ListedObject>
  /** Throws unless the store can be written to. */
  probe(): Promise<void>
  /** Remote stores only: a signed link, and uploads in parts from several processes. */
  link?(key: string, options: LinkOptions): Promise<string>
  parts?: MultipartUploads
}

export type PutOptions = { max_bytes?: number; fresh?: boolean; checked?: boolean }
export type LinkOptions = { disposition: string; type: string; seconds: number }
/** `etag` is the tag of a remote store, which in most cases is a hash of the contents. */
export type StoredObject = { stream: Readable; size: number; etag?: string }
export type ByteRange = { start: number; end: number }
export type ListedObject = { key: string; size: number }

export type UploadedPart = { number: number; etag: string }
/** Objects uploaded in parts, by any process; nobody sees one before it is complete. */
export type MultipartUploads = {
  begin(key: string): Promise<string>
  put(part: PartUpload): Promise<UploadedPart>
  complete(key: string, upload: string, parts: UploadedPart[]): Promise<void>
  /** Does nothing if there is no such upload. */
  abort(key: string, upload: string): Promise<void>
  /** The uploads that were begun before a time and never completed. */
  abandoned(before: Date): Promise<{ key: string; upload: string }[]>
}
export type PartUpload = {
  key: string
  upload: string
  number: number
  bytes: Buffer
  checked?: boolean | undefined
}

export class ObjectTooLarge extends Error {
  constructor(max_bytes: number) {
    super(`The object is larger than ${max_bytes} bytes`)
    this.name = 'ObjectTooLarge'
  }
}

/** The store does not have the multipart upload, or no longer. */
export class MultipartUploadNotFound extends Error {}

/**
 * The store fails at the moment. Has the error code of a failing disk, so callers treat both alike.
 */
export class ObjectStoreUnavailable extends Error {
  readonly code = 'EIO'
}

const unavailableCodes = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  // A thread that cannot be started, for want of files or memory.
  'ERR_WORKER_INIT_FAILED',
  // Memory for a buffer.
  'ERR_MEMORY_ALLOCATION_FAILED',
  // A library that is loaded at its first use and cannot be read, for want of files.
  'ERR_INVALID_PACKAGE_CONFIG',
])

/** What V8 says without memory, for which it has no code. */
const OUT_OF_MEMORY = /^(Array buffer allocation failed|Data cannot be cloned, out of memory\.)$/

/** Whether the store cannot read or write at the moment, which is not the client's fault. */
export function isStorageUnavailable(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  return unavailableCodes.has(code ?? '') || OUT_OF_MEMORY.test(message)
}

/**
 * Whether a disk cannot read these bytes, as with a bad sector: one file is damaged, and the others
 * are not. A remote store that fails has the same code, and may work a moment later.
 */
export const isUnreadable = (error: unknown) =>
  (error as NodeJS.ErrnoException).code === 'EIO' && !(error instanceof ObjectStoreUnavailable)

const KEY = /^[a-z0-9][a-z0-9._-]{0,254}(\/[a-z0-9][a-z0-9._-]{0,254})*$/
const MAX_KEY_LENGTH = 512

export const isKey = (text: string) =>
  text.length <= MAX_KEY_LENGTH && KEY.test(text) && !text.includes('..')

/**
 * Returns a valid key, and throws for any other text. Keys are made by our own code and never taken
 * from a request, so an invalid one is a bug.
 */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError('Not a storage key')
  return key
}

export function checkRange(range: ByteRange | undefined): void {
  if (!range) return
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError('Not a byte range')
}
