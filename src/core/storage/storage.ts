import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { uuidv7 } from '../security/crypto.ts'
import { fileStream } from './file-stream.ts'
import type { MultipartUploads } from './s3.ts'

/** Where objects live. A key is not also a folder of other keys: what one store allows there, another cannot hold. */
export type Storage = {
  /**
   * Resolves once the object would survive a power cut; before that the old one is still there, whole. A `fresh` key has none, and nobody looks
   * for it before this resolves: that spares a step, and a crash may leave a part of it, to be swept by whoever gave the key. With `checked` a
   * store beyond a network holds what arrives there to a hash of what was sent, and refuses the rest.
   */
  put(
    key: string,
    source: Buffer | AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<{ size: number }>
  /**
   * Makes an object of a file whose bytes are on the disk already, without copying them where that can be. The file stays its owner's,
   * to be removed and no longer written to. Twice is once.
   */
  adopt(key: string, path: string): Promise<void>
  /** `size` is that of the whole object; `end` is inclusive and may lie past the last byte. A removal does not break a started read. */
  get(key: string, range?: ByteRange): Promise<StoredObject | null>
  stat(key: string): Promise<{ size: number } | null>
  /** Fine with a key that is not there. */
  remove(key: string): Promise<void>
  /** Every key that begins with the text, in byte order. */
  list(prefix: string): AsyncIterable<ListedObject>
  /** Throws unless the store can be written now. */
  probe(): Promise<void>
  /** Stores that others reach too give out links of their own, and take objects in parts from several processes. Files on a disk do neither. */
  link?(
    key: string,
    options: { disposition: string; type: string; seconds: number },
  ): Promise<string>
  parts?: MultipartUploads
}
export type PutOptions = { max_bytes?: number; fresh?: boolean; checked?: boolean }
/** `etag` is what a store beyond a network says of the contents, which is mostly a hash of them. */
export type StoredObject = { stream: Readable; size: number; etag?: string }
export type ByteRange = { start: number; end: number }
export type ListedObject = { key: string; size: number }

export class ObjectTooLarge extends Error {
  constructor(max_bytes: number) {
    super(`The object is larger than ${max_bytes} bytes`)
    this.name = 'ObjectTooLarge'
  }
}

const troubles = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
])

/** A store that cannot take or give the bytes now is our trouble, and passes. */
export const isStorageUnavailable = (error: unknown) =>
  troubles.has((error as NodeJS.ErrnoException).code ?? '')

const MIB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
const TEMP_FOLDER = '.tmp'
const KEY = /^[a-z0-9][a-z0-9._-]{0,254}(\/[a-z0-9][a-z0-9._-]{0,254})*$/
const MAX_KEY_LENGTH = 512
const MAX_REMEMBERED_FOLDERS = 10_000

export async function createLocalStorage(root_folder: string): Promise<Storage> {
  const root = resolve(root_folder)
  const temp = join(root, TEMP_FOLDER)
  await makeFolder(temp)
  await removeLeftovers(temp)
  const makeParents = durableParents(root)
  const pathOf = (key: string) => join(root, checkKey(key))

  return {
    async put(key, source, { max_bytes = Number.POSITIVE_INFINITY, fresh = false } = {}) {
      const path = pathOf(key)
      const fill = (handle: FileHandle) => writeAll(handle, source, max_bytes)
      if (fresh) await makeParents(dirname(path))
      const size = await (fresh
        ? writeFresh(path, fill)
        : replaceFile(path, join(temp, uuidv7()), async (handle) => {
            const size = await fill(handle)
            await makeParents(dirname(path))
            return size
          }))
      return { size }
    },
    async adopt(key, path) {
      const target = pathOf(key)
      const linked = join(temp, uuidv7())
      await makeParents(dirname(target))
      // A second name for the same bytes; across file systems, and where there are no such names, a copy.
      const copied = await link(path, linked).catch(() => copyFile(path, linked).then(() => true))
      if (copied) await syncFile(linked)
      await rename(linked, target)
      // When both names are the same file already, renaming leaves both.
      await rm(linked, { force: true })
      await syncFolder(dirname(target))
    },
    async get(key, range) {
      checkRange(range)
      const handle = await open(pathOf(key)).catch(whenMissing)
      return handle && openObject(handle, range)
    },
    async stat(key) {
      const found = await stat(pathOf(key)).catch(whenMissing)
      return found?.isFile() ? { size: found.size } : null
    },
    async remove(key) {
      const path = pathOf(key)
      await unlink(path).catch(whenMissing)
      await syncFolder(dirname(path)).catch(whenMissing)
    },
    list: (prefix) => listFolder(root, checkPrefix(prefix)),
    async probe() {
      const path = join(temp, uuidv7())
      await writeSynced(path, (handle) => writeBlock(handle, Buffer.from('probe')))
      await unlink(path)
    },
  }
}

export const isKey = (text: string) =>
  text.length <= MAX_KEY_LENGTH && KEY.test(text) && !text.includes('..')

/** Only such keys touch the disk. Keys are made by our own code, never taken from a request, so this is no refusal but a defect. */
function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError('Not a storage key')
  return key
}

/** Whatever can be continued to a key. */
function checkPrefix(prefix: string): string {
  if (prefix !== '' && !isKey(prefix) && !isKey(prefix.replace(/\/$/, '')))
    throw new TypeError('Not the beginning of a storage key')
  return prefix
}

function checkRange(range: ByteRange | undefined): void {
  if (!range) return
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError('Not a byte range')
}

async function openObject(
  handle: FileHandle,
  range: ByteRange | undefined,
): Promise<{ stream: Readable; size: number } | null> {
  const found = await handle.stat()
  const past_end = range && range.start >= found.size
  if (found.isFile() && !past_end) {
    const { start, end } = range ?? { start: 0, end: found.size }
    return {
      stream: found.size
        ? fileStream(handle, start, Math.min(end, found.size - 1))
        : handle.createReadStream(),
      size: found.size,
    }
  }
  await handle.close()
  if (!found.isFile()) return null
  throw new RangeError('The range begins past the end of the object')
}

async function* listFolder(
  root: string,
  prefix: string,
  folder = prefix.slice(0, prefix.lastIndexOf('/') + 1),
): AsyncGenerator<ListedObject> {
  const entries =
    (await readdir(join(root, folder), { withFileTypes: true }).catch(whenMissing)) ?? []
  // A folder sorts as its keys do, with the slash that follows its name.
  const keyed = entries.map((entry) => ({
    entry,
    key: folder + entry.name + (entry.isDirectory() ? '/' : ''),
  }))
  for (const { entry, key } of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (!key.startsWith(prefix) || !isKey(folder + entry.name)) continue
    if (entry.isDirectory()) yield* listFolder(root, prefix, key)
    const found = entry.isFile() && (await stat(join(root, key)).catch(whenMissing))
    if (found) yield { key, size: found.size }
  }
}

/** Whoever was interrupted a day ago is not coming back; a slow upload keeps touching its file. */
async function removeLeftovers(folder: string): Promise<void> {
  const oldest = Date.now() - DAY_MS
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(whenMissing)
    if (found && found.mtimeMs < oldest) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Makes the folders above an object. A folder that another writer made may not be on the disk yet, so the first use of each
 * syncs the whole way to the root; folders are never removed, so what was synced once stays.
 */
function durableParents(root: string): (folder: string) => Promise<void> {
  const durable = new Set<string>()
  return async (folder) => {
    if (durable.has(folder) || folder === root) return
    await mkdir(folder, { recursive: true })
    const fresh: string[] = []
    for (let at = folder; at !== root && !durable.has(at); at = dirname(at)) fresh.push(at)
    for (const at of fresh) await syncFolder(dirname(at))
    if (durable.size > MAX_REMEMBERED_FOLDERS) durable.clear()
    for (const at of fresh) durable.add(at)
  }
}

/** In blocks of a mebibyte, however small the pieces are that arrive. */
async function writeAll(
  handle: FileHandle,
  source: Buffer | AsyncIterable<Uint8Array>,
  max_bytes: number,
) {
  const block = spare.pop() ?? Buffer.allocUnsafeSlow(MIB)
  let [filled, size] = [0, 0]
  const flush = async () => {
    await writeBlock(handle, block.subarray(0, filled))
    filled = 0
  }
  for await (const part of Buffer.isBuffer(source) ? [source] : source) {
    size += part.length
    if (size > max_bytes) throw new ObjectTooLarge(max_bytes)
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + MIB - filled)
      block.set(piece, filled)
      filled += piece.length
      at += piece.length
      if (filled === MIB) await flush()
    }
  }
  await flush()
  // Only a block that no write is still reading from.
  giveBack(block)
  return size
}

/** Blocks for the next writers: made anew for every object they would keep the collector busy. A quiet service keeps none. */
const spare: Buffer[] = []
const MOST_SPARE = 8
const KEEP_MS = 5_000
let forgetting = false

function giveBack(block: Buffer) {
  if (spare.length < MOST_SPARE) spare.push(block)
  if (forgetting) return
  forgetting = true
  setTimeout(() => {
    forgetting = false
    spare.length = 0
  }, KEEP_MS).unref()
}

/** A disk that fills up takes a part first and says so only on the next call. */
async function writeBlock(handle: FileHandle, block: Uint8Array): Promise<void> {
  for (let at = 0; at < block.length; ) at += (await handle.write(block, at)).bytesWritten
}

/** Writes a file so that after any crash there is the old one or the new one, whole. Also for the few files outside the store. */
export async function replaceFile<T>(
  path: string,
  temp: string,
  fill: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const result = await writeSynced(temp, fill)
  try {
    await rename(temp, path)
  } catch (error) {
    await rm(temp, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
  return result
}

/** A new file for our eyes only, whose bytes are on the disk when this resolves; its name is too once its folder is synced. */
export async function writeSynced<T>(
  path: string,
  fill: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(path, 'wx', 0o600)
  try {
    const result = await fill(handle)
    await handle.datasync()
    return result
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** The same under its own name at once: the name goes to the disk while the bytes are still on their way. */
async function writeFresh<T>(path: string, fill: (handle: FileHandle) => Promise<T>): Promise<T> {
  let named: Promise<void> | undefined
  const result = await writeSynced(path, (handle) => {
    named = syncFolder(dirname(path))
    // Told below; until then nobody listens.
    named.catch(() => {})
    return fill(handle)
  })
  await named
  return result
}

/** Makes a folder and its missing parents, all of them durable. */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path)
  const first = await mkdir(folder, { recursive: true })
  if (first)
    for (let at = folder; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at))
}

export const syncFolder = (folder: string): Promise<void> => syncFile(folder)

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A key below an object, or that is a folder of other keys, is a key that is not there. */
function whenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR') return null
  throw error
}
