import { createHash } from 'node:crypto'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { releaseBuffer } from '../../core/storage/release-buffer.ts'
import {
  asUnavailable,
  MAX_PARTS,
  MIN_PART_BYTES,
  PART_BYTES,
  partsWriter,
} from '../../core/storage/s3.ts'
import {
  MultipartUploadNotFound,
  type MultipartUploads,
  type Storage,
  type UploadedPart,
} from '../../core/storage/storage.ts'
import { deleteSession, reservePartNumbers } from '../sessions/queries.ts'
import type { SessionLease } from '../sessions/session-lease.ts'
import { storedZip } from '../zip/zip-source.ts'
import type { Chunk } from './chunk-headers.ts'
import type { HashResult } from './hash-thread.ts'
import type { Sink, StagedChunk, StagedParts, StagedUpload } from './staging.ts'
import { beginHash } from './threaded-hash.ts'
import { uploadKey } from './upload-key.ts'

type ObjectStore = Storage & { parts: MultipartUploads }
const objectStore = ({ storage }: Core) => storage as ObjectStore
/** An upload whose bytes are all in the store; `upload` is undefined once they are an object. */
type StoredParts = { upload: string | undefined; parts: UploadedPart[]; size: number }

/** Stages an upload as parts of its final object, which exists once the parts are completed. */
export async function stageInObjectStore(core: Core, key: string): Promise<StagedUpload> {
  const store = objectStore(core)
  const writer = partsWriter(store.parts, key)
  const hash = createHash('sha256')
  let parts: UploadedPart[] = []
  const sink = {
    async write(chunk: Uint8Array) {
      hash.update(chunk)
      await writer.write(chunk)
      releaseBuffer(chunk)
    },
    async finish() {
      parts = await writer.end()
    },
    close: async () => {},
    get written() {
      return writer.size()
    },
  }
  const storedParts = () => ({ upload: writer.upload, parts, size: writer.size() })
  return {
    sink,
    checksum: async () => hash.digest('hex'),
    ...objectFromParts(store, key, storedParts, () => writer.abort()),
  }
}

/**
 * Completes the parts to an object. Unless it was committed, discarding removes it again: for good,
 * because no record names it and a client can send it again.
 */
function objectFromParts(
  store: ObjectStore,
  key: string,
  storedParts: () => StoredParts,
  abort: () => Promise<void>,
): Pick<StagedUpload, 'open' | 'commit' | 'discard'> {
  let completed = false
  let committed = false
  const complete = async () => {
    const { upload, parts } = storedParts()
    if (!completed && upload) {
      crashPoint('parts-stored')
      await store.parts.complete(key, upload, parts).catch((error) => {
        // The client tries again and finds the object.
        throw asUnavailable(error)
      })
      crashPoint('parts-completed')
    }
    completed = true
  }
  return {
    async open() {
      const { size } = storedParts()
      // An empty upload has no parts to complete; the zip check refuses it.
      if (size > 0) await complete()
      return { read: storedZip(store, key, size).read, size, close: async () => {} }
    },
    async commit() {
      await complete()
      committed = true
    },
    async discard() {
      if (committed) return
      if (completed) await store.discard(key)
      else await abort()
    },
  }
}

/**
 * Appends a chunk as parts of the session's multipart upload. Part numbers are reserved, so parts
 * that a request sends after it lost its lease are in no list. Bytes that are too few for a part
 * are stored as an object of their own, the tail, until the next chunk.
 */
export async function appendToObject(
  core: Core,
  chunk: Chunk,
  lease: SessionLease,
): Promise<StagedChunk> {
  const store = objectStore(core)
  const { file_uid, game_uid, total_size, staged: before } = lease.session
  const key = uploadKey({ uid: file_uid, game_uid })
  const is_last = chunk.start + chunk.length === total_size
  // The process before may have ended after the store completed the object, before our record.
  if (is_last && chunk.start > 0 && (await store.stat(key))?.size === total_size)
    return completedObject(store, key, total_size, lease)
  // The session began on a local disk, before the object store was configured.
  if (!before && chunk.start > 0) return endSessionWithoutParts(core, lease)
  const first_number = await reserveNumbers(core, chunk, lease)
  crashPoint('part-numbers-reserved')
  const upload = before?.upload ?? (await store.parts.begin(key))
  const writer = partsWriter(store.parts, key, {
    upload,
    first_number,
    expected_bytes: chunk.length,
  })
  const sink = await openPartsSink(core, lease, { writer, is_last })
  const removeTail = async (stored: StagedParts['tail'] | undefined) => {
    if (stored) await store.discard(stored.key)
  }
  const object = objectFromParts(
    store,
    key,
    () => ({ upload, parts: sink.parts(), size: total_size }),
    () => store.parts.abort(key, upload),
  )
  return {
    ...object,
    sink,
    checksum: async () => sink.hashed().digest,
    async discard() {
      await object.discard()
      await removeTail(before?.tail)
    },
    location: () => ({
      part: null,
      staged: {
        upload,
        parts: sink.parts(),
        tail: sink.tail(),
        hash: Buffer.from(sink.hashed().state).toString('base64'),
      },
    }),
    afterRecorded: () => removeTail(before?.tail),
    async rollBack() {
      await writer.settled().catch(() => {})
      await removeTail(sink.tail())
      if (!before) await store.parts.abort(key, upload)
    },
  }
}

/** What a chunk adds to the session; complete once the sink is finished. */
type PartsSink = Sink & {
  parts: () => UploadedPart[]
  tail: () => StagedParts['tail']
  hashed: () => HashResult
}
type PartsSinkOptions = { writer: ReturnType<typeof partsWriter>; is_last: boolean }

/**
 * Writes a chunk as parts, after the tail of the previous chunk. `finish` stores the new tail,
 * unless the chunk is the last one.
 */
async function openPartsSink(
  core: Core,
  lease: SessionLease,
  { writer, is_last }: PartsSinkOptions,
): Promise<PartsSink> {
  const { file_uid, staged: before } = lease.session
  const old_tail = before?.tail ? await readTail(core, before.tail, lease) : Buffer.alloc(0)
  await writer.write(old_tail)
  let parts: UploadedPart[] = before?.parts ?? []
  let tail: StagedParts['tail'] = null
  let hashed: HashResult | undefined
  const hash = beginHash(before && Buffer.from(before.hash, 'base64'))
  const endIfNotFound = (error: unknown) =>
    error instanceof MultipartUploadNotFound
      ? endSessionWithoutParts(core, lease)
      : Promise.reject(error)
  return {
    async write(bytes) {
      const hashing = hash.update(bytes)
      hashing?.catch(() => {})
      await writer.write(bytes).catch(endIfNotFound)
      await hashing
      releaseBuffer(bytes)
    },
    async finish() {
      const hashing = hash.end()
      hashing.catch(() => {})
      const rest = is_last ? Buffer.alloc(0) : writer.rest()
      const keeps_tail = !is_last && rest.length < MIN_PART_BYTES
      const sent = await (keeps_tail ? writer.settled() : writer.end()).catch(endIfNotFound)
      if (keeps_tail && rest.length > 0) {
        const key = `uploads/${file_uid}/${lease.holder}`
        await core.storage.put(key, rest)
        crashPoint('tail-stored')
        tail = { key, size: rest.length }
      }
      parts = [...parts, ...sent]
      hashed = await hashing
    },
    close: async () => hash.close(),
    get written() {
      return writer.size() - old_tail.length
    },
    parts: () => parts,
    tail: () => tail,
    hashed: () => hashed!,
  }
}

/** Reserves part numbers for the chunk and returns the first. */
async function reserveNumbers(core: Core, { length }: Chunk, lease: SessionLease): Promise<number> {
  const count = Math.ceil((MIN_PART_BYTES + length) / PART_BYTES)
  const first = await reservePartNumbers(core.sql, lease.session.uid, lease.holder, count)
  if (first === undefined) refuse('CHUNK_IN_PROGRESS')
  return first > MAX_PARTS / 2 ? endSessionWithoutParts(core, lease) : first
}

async function readTail(
  core: Core,
  { key, size }: NonNullable<StagedParts['tail']>,
  lease: SessionLease,
): Promise<Buffer> {
  const stats = await core.storage.stat(key)
  return stats?.size === size
    ? storedZip(core.storage, key, size).read(0, size)
    : endSessionWithoutParts(core, lease)
}

/** If the acknowledged bytes are gone, no chunk can continue: the client must start again. */
async function endSessionWithoutParts(core: Core, lease: SessionLease): Promise<never> {
  await lease.renew()
  await deleteSession(core.sql, lease.session.uid, lease.holder)
  refuse('UPLOAD_SESSION_NOT_FOUND')
}

/** The object is complete already: the bytes sent again are ignored, and its own are checked. */
function completedObject(
  store: ObjectStore,
  key: string,
  size: number,
  lease: SessionLease,
): StagedChunk {
  let written = 0
  let is_read = false
  const sink = {
    write(bytes: Uint8Array) {
      written += bytes.length
      return undefined
    },
    finish: async () => {},
    close: async () => {},
    get written() {
      return written
    },
  }
  async function checksum() {
    const hash = createHash('sha256')
    const object = await store.get(key)
    for await (const block of object?.stream ?? []) {
      await lease.renewIfDue()
      hash.update(block)
    }
    is_read = true
    return hash.digest('hex')
  }
  // Until all of it was read, only the loss of the lease is a reason to refuse it. The request that
  // has the session by then may have recorded the object.
  const discardRead = async () => {
    if (is_read) await store.discard(key)
  }
  return {
    ...objectFromParts(store, key, () => ({ upload: undefined, parts: [], size }), discardRead),
    sink,
    checksum,
    location: () => ({ part: null, staged: lease.session.staged }),
    afterRecorded: async () => {},
    rollBack: async () => {},
  }
}
