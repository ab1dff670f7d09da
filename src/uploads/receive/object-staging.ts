import { createHash } from 'node:crypto'
import { fileKey } from '../../builds/files/key.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { MAX_PARTS, MIN_PART_BYTES, PART_BYTES, partsWriter } from '../../core/storage/s3.ts'
import {
  MultipartUploadNotFound,
  type MultipartUploads,
  ObjectStoreUnavailable,
  type Storage,
  type UploadedPart,
} from '../../core/storage/storage.ts'
import { deleteSession, reserveParts } from '../sessions/queries.ts'
import type { Hold } from '../sessions/session-lease.ts'
import { storedZip } from '../zip/zip-source.ts'
import type { Chunk } from './chunk-headers.ts'
import type { Piece, Staged, StagedParts } from './staging.ts'

type Store = Storage & { parts: MultipartUploads }
const storeOf = ({ storage }: Core) => storage as Store
/** A whole that the store has: nothing is left to be sent, and only a refusal takes it away again. */
type Whole = { upload: string | undefined; parts: UploadedPart[]; size: number }

/** The bytes go straight to where the file will be; there is an object once the store is told that all parts are there. */
export async function stageObject(core: Core, key: string): Promise<Staged> {
  const store = storeOf(core)
  const [writer, hash] = [partsWriter(store.parts, key), createHash('sha256')]
  let parts: UploadedPart[] = []
  const sink = {
    write(chunk: Uint8Array) {
      hash.update(chunk)
      return writer.write(chunk)
    },
    async finish() {
      parts = await writer.end()
    },
    close: async () => {},
    get written() {
      return writer.size()
    },
  }
  const whole = () => ({ upload: writer.upload, parts, size: writer.size() })
  return {
    sink,
    checksum: async () => hash.digest('hex'),
    ...landing(store, key, whole, () => writer.abort()),
  }
}

/** All parts were there just now: most likely they are joined already and the word of it was lost. The next try will see. */
const unheard = (error: Error) =>
  Promise.reject(
    error instanceof MultipartUploadNotFound
      ? new ObjectStoreUnavailable('The object store has no such parts', { cause: error })
      : error,
  )

/** From parts to an object; a refused one goes, a settled one stays. */
function landing(
  store: Store,
  key: string,
  whole: () => Whole,
  abort: () => Promise<void>,
): Pick<Staged, 'open' | 'settle' | 'drop'> {
  let [landed, settled] = [false, false]
  const land = async () => {
    const { upload, parts } = whole()
    if (!landed && upload) await store.parts.complete(key, upload, parts).catch(unheard)
    landed = true
  }
  return {
    async open() {
      const { size } = whole()
      // An upload of nothing has no parts, and no zip is that short.
      if (size > 0) await land()
      return { read: storedZip(store, key, size).read, size, close: async () => {} }
    },
    async settle() {
      await land()
      settled = true
    },
    async drop() {
      if (settled) return
      if (landed) await store.remove(key)
      else await abort()
    },
  }
}

/**
 * A chunk becomes parts of one upload, with numbers that nobody else has: what a process that lost the session still sends is in no list. What is too
 * little for a part waits in an object of its own for the chunk that follows.
 */
export async function goOnInStore(core: Core, chunk: Chunk, mine: Hold): Promise<Piece> {
  const store = storeOf(core)
  const { file_uid, game_uid, total_size, staged: before } = mine.session
  const key = fileKey({ uid: file_uid, game_uid })
  const is_last = chunk.start + chunk.length === total_size
  // The process that had the last chunk before may have ended between the store's word and ours.
  if (is_last && chunk.start > 0 && (await store.stat(key))?.size === total_size)
    return landedBefore(store, key, total_size, mine)
  // It began on a disk, before the store was there.
  if (!before && chunk.start > 0) return endWithoutParts(core, mine)
  const { createSHA256 } = await import('hash-wasm')
  const hash = (await createSHA256()).init()
  if (before) hash.load(Buffer.from(before.hash, 'base64'))
  const first_number = await reserveParts(
    core.sql,
    mine.session.uid,
    mine.holder,
    Math.ceil((MIN_PART_BYTES + chunk.length) / PART_BYTES),
  )
  if (first_number === undefined) refuse('CHUNK_IN_PROGRESS')
  if (first_number > MAX_PARTS / 2) return endWithoutParts(core, mine)
  const upload = before?.upload ?? (await store.parts.begin(key))
  const writer = partsWriter(store.parts, key, { upload, first_number })
  const tail_before = before?.tail ? await readTail(core, before.tail, mine) : Buffer.alloc(0)
  await writer.write(tail_before)
  const tail_key = `uploads/${file_uid}/${mine.holder}`
  let [parts, tail]: [UploadedPart[], StagedParts['tail']] = [before?.parts ?? [], null]
  const gone = (error: unknown) =>
    error instanceof MultipartUploadNotFound ? endWithoutParts(core, mine) : Promise.reject(error)

  const sink = {
    write(bytes: Uint8Array) {
      hash.update(bytes)
      return writer.write(bytes).catch(gone)
    },
    async finish() {
      const rest = is_last ? Buffer.alloc(0) : writer.rest()
      const waits = !is_last && rest.length < MIN_PART_BYTES
      const sent = await (waits ? writer.settled() : writer.end()).catch(gone)
      if (waits && rest.length > 0) {
        await store.put(tail_key, rest)
        tail = { key: tail_key, size: rest.length }
      }
      parts = [...parts, ...sent]
    },
    close: async () => {},
    get written() {
      return writer.size() - tail_before.length
    },
  }
  const removeTail = async (one: StagedParts['tail'] | undefined) => one && store.remove(one.key)
  const whole = landing(
    store,
    key,
    () => ({ upload, parts, size: total_size }),
    () => store.parts.abort(key, upload),
  )
  return {
    ...whole,
    sink,
    checksum: async () => hash.digest('hex'),
    async drop() {
      await whole.drop()
      await removeTail(before?.tail)
    },
    place: () => ({
      part: null,
      staged: { upload, parts, tail, hash: Buffer.from(hash.save()).toString('base64') },
    }),
    recorded: async () => void (await removeTail(before?.tail)),
    async undo() {
      await writer.settled().catch(() => {})
      await removeTail(tail)
      if (!before) await store.parts.abort(key, upload)
    },
  }
}

async function readTail(
  core: Core,
  { key, size }: NonNullable<StagedParts['tail']>,
  mine: Hold,
): Promise<Buffer> {
  const found = await core.storage.stat(key)
  return found?.size === size
    ? storedZip(core.storage, key, size).read(0, size)
    : endWithoutParts(core, mine)
}

/** What was acknowledged is no longer there: no chunk could go on from it, so the uploader is told to begin again. */
async function endWithoutParts(core: Core, mine: Hold): Promise<never> {
  await mine.confirm()
  await deleteSession(core.sql, mine.session.uid, mine.holder)
  refuse('UPLOAD_SESSION_NOT_FOUND')
}

/** The object is there already; whether it is what was promised is read from itself, and what is sent again is not looked at. */
function landedBefore(store: Store, key: string, size: number, mine: Hold): Piece {
  let written = 0
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
    const found = await store.get(key)
    for await (const block of found?.stream ?? []) {
      await mine.progress()
      hash.update(block)
    }
    return hash.digest('hex')
  }
  const none = async () => {}
  return {
    ...{
      sink,
      checksum,
      place: () => ({ part: null, staged: mine.session.staged }),
      recorded: none,
      undo: none,
    },
    ...landing(
      store,
      key,
      () => ({ upload: undefined, parts: [], size }),
      () => store.remove(key),
    ),
  }
}
