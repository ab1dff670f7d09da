import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND_MS } from '../runtime/units.ts'
import { PART_BYTES } from './s3.ts'
import { isUnreadable, ObjectStoreUnavailable, type Storage, type StoredObject } from './storage.ts'

const READ_TRIES = 3
const READ_WAIT_MS = SECOND_MS
/** How many other objects tell whether a store that fails for one of them works. */
const OTHERS = 3

/** The bytes do not match their size or hash, or cannot be read. Nothing of them is stored. */
export class DamagedObject extends Error {}

/** A remote store failed while an object was read: not the place that it is copied to. */
class ReadFailed extends ObjectStoreUnavailable {}

function asDamage(error: unknown): unknown {
  if (isUnreadable(error)) return new DamagedObject()
  return error instanceof ObjectStoreUnavailable
    ? new ReadFailed(error.message, { cause: error })
    : error
}

/**
 * Reads an object again after a failure of a remote store. One that fails again and again, before
 * and after the store returns others, is damaged: it must not keep back what reads all objects.
 */
export async function orDamaged<T>(
  storage: Storage,
  key: string,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  let returns_others = false
  for (let tries = 1; ; tries++)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ReadFailed)) throw error
      signal.throwIfAborted()
      if (returns_others) throw new DamagedObject()
      if (tries < READ_TRIES) await pause(READ_WAIT_MS, undefined, { signal })
      // An outage may just have ended, so the object is read once more.
      else if (await returnsOthers(storage, key)) returns_others = true
      else throw error
    }
}

async function returnsOthers(storage: Storage, failed_key: string): Promise<boolean> {
  try {
    let others = 0
    for await (const { key, size } of storage.list('')) {
      if (key === failed_key || !size) continue
      if (await returnsFirstByte(storage, key)) return true
      if (++others === OTHERS) break
    }
  } catch (error) {
    if (!(error instanceof ObjectStoreUnavailable)) throw error
  }
  return false
}

async function returnsFirstByte(storage: Storage, key: string): Promise<boolean> {
  try {
    const object = await storage.get(key, { start: 0, end: 0 })
    return (await object?.stream.toArray()) !== undefined
  } catch (error) {
    if (error instanceof ObjectStoreUnavailable) return false
    throw error
  }
}

/** Opens an object whose bytes are compared with a hash. */
export async function openForCheck(storage: Storage, key: string): Promise<StoredObject | null> {
  try {
    return await storage.get(key)
  } catch (error) {
    throw asDamage(error)
  }
}

async function* readBytes({ stream }: StoredObject): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    throw asDamage(error)
  }
}

/**
 * Passes the bytes on, and fails at the end if they do not match their size or hash, so that the
 * target discards them.
 */
export async function* verified(
  source: StoredObject,
  sha256: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { size, etag } = source
  const check = sha256 ? objectHash('sha256', sha256) : etagHash(etag, size)
  let read = 0
  for await (const bytes of readBytes(source)) {
    signal.throwIfAborted()
    read += bytes.length
    check?.update(bytes)
    yield bytes
  }
  if (read !== size || check?.differs()) throw new DamagedObject()
}

type Check = { update: (bytes: Uint8Array) => unknown; differs: () => boolean }

function objectHash(algorithm: string, expected: string): Check {
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
  if (!parts) return objectHash('md5', hash)
  return Number(parts) === Math.ceil(size / PART_BYTES) ? partsHash(hash) : undefined
}

function partsHash(expected: string): Check {
  const total = createHash('md5')
  let part = createHash('md5')
  let filled = 0
  const closePart = () => {
    total.update(part.digest())
    part = createHash('md5')
    filled = 0
  }
  return {
    update(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + PART_BYTES - filled)
        part.update(piece)
        filled += piece.length
        at += piece.length
        if (filled === PART_BYTES) closePart()
      }
    },
    differs() {
      if (filled) closePart()
      return total.digest('hex') !== expected
    },
  }
}

/** The SHA-256 of an object; undefined if there is none. */
export async function hashObject(
  storage: Storage,
  key: string,
  signal: AbortSignal,
  onBytes?: (count: number) => Promise<void> | void,
): Promise<{ sha256: string; size: number } | undefined> {
  const source = await openForCheck(storage, key)
  if (!source) return undefined
  const hash = createHash('sha256')
  let size = 0
  for await (const bytes of readBytes(source)) {
    signal.throwIfAborted()
    hash.update(bytes)
    size += bytes.length
    await onBytes?.(bytes.length)
  }
  if (size !== source.size) throw new DamagedObject()
  return { sha256: hash.digest('hex'), size }
}
