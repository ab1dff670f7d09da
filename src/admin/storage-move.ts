import { createHash } from 'node:crypto'
import type { Sql } from '../core/database/sql.ts'
import { PART_BYTES } from '../core/storage/s3.ts'
import type { ListedObject, Storage, StoredObject } from '../core/storage/storage.ts'
import { AdminError, type Run } from './command.ts'
import { recordedHashes } from './storage-queries.ts'

const AT_ONCE = 4
const KEYS_A_QUERY = 200

export type Moved = { copied: number; there: number; bytes: number; damaged: string[] }
type Hashed = ListedObject & { sha256?: string }
type How = Pick<Run, 'progress' | 'signal'> & { sql: Sql }

/** The bytes do not match their size or hash. Nothing of them is stored. */
class Damaged extends Error {}

/**
 * Copies every object to another store and removes nothing. The bytes that are read are checked
 * against the SHA-256 of the record, or else against the hash that the source store has. A remote
 * target checks the bytes it receives against a hash of what was sent.
 *
 * An object is stored whole and checked or not at all. Therefore an object that exists in the
 * target with the same size was copied before, and an interrupted copy can be continued.
 */
export async function copyObjects(
  from: Storage,
  to: Storage,
  { sql, progress, signal }: How,
): Promise<Moved> {
  const moved: Moved = { copied: 0, there: 0, bytes: 0, damaged: [] }
  const count = (what: 'copied' | 'there', { size }: ListedObject) => {
    moved[what]++
    moved.bytes += size
    progress(`${moved.copied + moved.there} objects, ${moved.bytes} bytes`)
  }
  const objects = withHashes(
    sql,
    absent(from, to, (object) => count('there', object)),
  )
  const lane = async () => {
    for (let next = await objects.next(); !next.done; next = await objects.next()) {
      const outcome = await copyOne(from, to, next.value, signal)
      if (outcome === 'copied') count('copied', next.value)
      if (outcome === 'damaged') moved.damaged.push(next.value.key)
    }
  }
  // If one fails, wait for the others, so that none is interrupted in the middle of an object.
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane))
  signal.throwIfAborted()
  const failed = lanes.find((one) => one.status === 'rejected')
  if (failed)
    throw new AdminError(`${failed.reason.message}. What was copied stands; run it again to go on`)
  return moved
}

/**
 * The objects that the target lacks. Both stores list their keys in the same order, so one pass
 * over both lists is enough.
 */
async function* absent(
  from: Storage,
  to: Storage,
  passed: (object: ListedObject) => void,
): AsyncGenerator<ListedObject> {
  const others = to.list('')[Symbol.asyncIterator]()
  let other = await others.next()
  for await (const object of from.list('')) {
    while (!other.done && other.value.key < object.key) other = await others.next()
    if (!other.done && other.value.key === object.key && other.value.size === object.size)
      passed(object)
    else yield object
  }
}

async function* withHashes(sql: Sql, objects: AsyncIterable<ListedObject>): AsyncGenerator<Hashed> {
  let batch: ListedObject[] = []
  const known = async () => {
    const hashes = await recordedHashes(
      sql,
      batch.map(({ key }) => key),
    )
    return batch.map((object) => ({ ...object, sha256: hashes.get(object.key) }))
  }
  for await (const object of objects) {
    if (batch.push(object) < KEYS_A_QUERY) continue
    yield* await known()
    batch = []
  }
  yield* await known()
}

async function copyOne(
  from: Storage,
  to: Storage,
  object: Hashed,
  signal: AbortSignal,
): Promise<'copied' | 'damaged' | 'gone'> {
  signal.throwIfAborted()
  const found = await from.get(object.key)
  // The object was removed after it was listed.
  if (!found) return 'gone'
  try {
    await to.put(object.key, held(found, object.sha256, signal), { checked: true })
    return 'copied'
  } catch (error) {
    found.stream.destroy()
    if (error instanceof Damaged) return 'damaged'
    throw error
  }
}

/**
 * Passes the bytes on, and fails at the end if they do not match their size or hash, so that the
 * target discards them.
 */
async function* held(
  { stream, size, etag }: StoredObject,
  sha256: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const check = sha256 ? wholeHash('sha256', sha256) : etagHash(etag, size)
  let read = 0
  for await (const bytes of stream) {
    signal.throwIfAborted()
    read += bytes.length
    check?.update(bytes)
    yield bytes
  }
  if (read !== size || check?.differs()) throw new Damaged()
}

type Check = { update: (bytes: Uint8Array) => unknown; differs: () => boolean }

function wholeHash(algorithm: string, expected: string): Check {
  const hash = createHash(algorithm)
  return { update: (bytes) => hash.update(bytes), differs: () => hash.digest('hex') !== expected }
}

/**
 * The ETag of an object uploaded in one piece is its MD5. The ETag of an object uploaded in parts
 * is the MD5 of the MD5s of the parts, and their number. Other ETags, which stores that encrypt may
 * return, cannot be checked.
 */
function etagHash(etag: string | undefined, size: number): Check | undefined {
  const [hash, parts] = /^([0-9a-f]{32})(?:-(\d+))?$/.exec(etag ?? '')?.slice(1) ?? []
  if (!hash) return undefined
  if (!parts) return wholeHash('md5', hash)
  return Number(parts) === Math.ceil(size / PART_BYTES) ? partsHash(hash) : undefined
}

function partsHash(expected: string): Check {
  const whole = createHash('md5')
  let [part, filled] = [createHash('md5'), 0]
  const close = () => {
    whole.update(part.digest())
    ;[part, filled] = [createHash('md5'), 0]
  }
  return {
    update(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + PART_BYTES - filled)
        part.update(piece)
        filled += piece.length
        at += piece.length
        if (filled === PART_BYTES) close()
      }
    },
    differs() {
      if (filled) close()
      return whole.digest('hex') !== expected
    },
  }
}
