import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { crashPoint } from '../runtime/crash-point.ts'
import { retention } from '../runtime/retention.ts'
import { DAY_MS, MIB } from '../runtime/units.ts'
import { uuidv7 } from '../security/crypto.ts'
import {
  makeFolder,
  replaceFile,
  syncFile,
  syncFolder,
  writeFresh,
  writeSynced,
} from './durable-files.ts'
import { fileStream } from './file-stream.ts'
import {
  type ByteRange,
  checkKey,
  checkRange,
  isKey,
  type ListedObject,
  ObjectTooLarge,
  type Storage,
  type StoredObject,
} from './storage.ts'
import { isTrashKey } from './trash-key.ts'

const TEMP_FOLDER = '.tmp'
/** What a proxy with ACCEL_PREFIX sends itself, as a user of our group. */
const SENT_BY_PROXY = /^(builds|patches)\//
const modeOf = (key: string) => (SENT_BY_PROXY.test(key) ? 0o640 : 0o600)
const MAX_REMEMBERED_FOLDERS = 10_000
const MOVE_TRIES = 5

/** Objects as files below a folder. */
export async function createLocalStorage(
  root_folder: string,
  { read_only = false } = {},
): Promise<Storage> {
  const root = resolve(root_folder)
  const temp = join(root, TEMP_FOLDER)
  if (!read_only) {
    await makeFolder(temp)
    await removeOldFiles(temp)
  }
  const makeParents = durableParents(root)
  const pathOf = (key: string) => join(root, checkKey(key))
  async function remove(key: string) {
    const path = pathOf(key)
    await unlink(path).catch(whenMissing)
    crashPoint('object-unlinked')
    await syncFolder(dirname(path)).catch(whenMissing)
    if (isTrashKey(key)) await removeEmptyFolders(root, dirname(path))
  }

  return {
    async put(key, source, { max_bytes = Number.POSITIVE_INFINITY, fresh = false } = {}) {
      const path = pathOf(key)
      const fill = (handle: FileHandle) => writeAll(handle, source, max_bytes)
      if (fresh) {
        await makeParents(dirname(path))
        return { size: await writeFresh(path, fill, modeOf(key)) }
      }
      const fillWithParents = async (handle: FileHandle) => {
        const written = await fill(handle)
        await makeParents(dirname(path))
        return written
      }
      const size = await replaceFile(path, join(temp, uuidv7()), fillWithParents, modeOf(key))
      return { size }
    },
    async adopt(key, path) {
      const target = pathOf(key)
      const linked = join(temp, uuidv7())
      await makeParents(dirname(target))
      // A hard link; across file systems, and where there are none, a copy.
      const copied = await link(path, linked).catch(() => copyFile(path, linked).then(() => true))
      if (copied) await syncFile(linked)
      crashPoint('object-linked')
      await rename(linked, target)
      crashPoint('object-adopted')
      // When both names already are the same file, renaming leaves both.
      await rm(linked, { force: true })
      await syncFolder(dirname(target))
    },
    async get(key, range) {
      checkRange(range)
      const handle = await open(pathOf(key)).catch(whenMissing)
      return handle && openObject(handle, range)
    },
    async stat(key) {
      const stats = await stat(pathOf(key)).catch(whenMissing)
      return stats?.isFile() ? { size: stats.size } : null
    },
    async settle(key) {
      const folder = dirname(pathOf(key))
      await makeParents(folder)
      await syncFolder(folder)
    },
    remove,
    discard: remove,
    async move(from, to) {
      const [source, target] = [pathOf(from), pathOf(to)]
      const stats = await stat(source).catch(whenMissing)
      if (!stats?.isFile()) return false
      const tryMove = async () => {
        await makeParents(dirname(target))
        await rename(source, target)
        return true
      }
      for (let tries = 1; ; tries++) {
        if (await tryMove().catch(whenMissing)) break
        if (!(await stat(source).catch(whenMissing))) return false
        // The trash was emptied, and its folders removed, by this process or another.
        if (tries === MOVE_TRIES) throw new Error(`The folder of ${to} is removed again and again`)
        makeParents.forget()
      }
      crashPoint('object-moved')
      // The trash may be emptied again at once.
      await syncFolder(dirname(target)).catch(whenMissing)
      await syncFolder(dirname(source))
      return true
    },
    list: (prefix) => listFolder(root, checkPrefix(prefix)),
    async probe() {
      const path = join(temp, uuidv7())
      await writeSynced(path, (handle) => writeBlock(handle, Buffer.from('probe')))
      await unlink(path)
    },
  }
}

/** A prefix must be the start of some key. */
function checkPrefix(prefix: string): string {
  if (prefix !== '' && !isKey(prefix) && !isKey(prefix.replace(/\/$/, '')))
    throw new TypeError('Not the beginning of a storage key')
  return prefix
}

async function openObject(
  handle: FileHandle,
  range: ByteRange | undefined,
): Promise<StoredObject | null> {
  const stats = await handle.stat()
  const past_end = range && range.start >= stats.size
  if (stats.isFile() && !past_end) {
    const { start, end } = range ?? { start: 0, end: stats.size }
    return {
      stream: stats.size
        ? fileStream(handle, start, Math.min(end, stats.size - 1))
        : handle.createReadStream(),
      size: stats.size,
    }
  }
  await handle.close()
  if (!stats.isFile()) return null
  throw new RangeError('The range begins past the end of the object')
}

async function* listFolder(
  root: string,
  prefix: string,
  folder = prefix.slice(0, prefix.lastIndexOf('/') + 1),
): AsyncGenerator<ListedObject> {
  const entries =
    (await readdir(join(root, folder), { withFileTypes: true }).catch(whenMissing)) ?? []
  // A folder sorts like its keys, with the slash that follows its name.
  const keyed = entries.map((entry) => ({
    entry,
    key: folder + entry.name + (entry.isDirectory() ? '/' : ''),
  }))
  for (const { entry, key } of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (!key.startsWith(prefix) || !isKey(folder + entry.name)) continue
    if (entry.isDirectory()) yield* listFolder(root, prefix, key)
    const stats = entry.isFile() && (await stat(join(root, key)).catch(whenMissing))
    if (stats) yield { key, size: stats.size }
  }
}

/**
 * The trash has folders for every day, which are not used again. Others stay: a process that made
 * one relies on it.
 */
async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== root; at = dirname(at)) {
    const removed = await rmdir(at).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}

/** Removes the files of interrupted writes. A slow upload keeps touching its file. */
async function removeOldFiles(folder: string): Promise<void> {
  const oldest = Date.now() - retention.temp_file_days * DAY_MS
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const stats = await stat(path).catch(whenMissing)
    if (stats && stats.mtimeMs < oldest) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Creates the folders above an object. A folder that another process created may not be on the disk
 * yet, so the first use of each syncs all its parents. Only folders of the trash are removed, so any
 * other synced folder stays.
 */
function durableParents(root: string) {
  const durable = new Set<string>()
  const makeParents = async (folder: string) => {
    if (durable.has(folder) || folder === root) return
    await mkdir(folder, { recursive: true })
    const fresh: string[] = []
    for (let at = folder; at !== root && !durable.has(at); at = dirname(at)) fresh.push(at)
    for (const at of fresh) await syncFolder(dirname(at))
    if (durable.size > MAX_REMEMBERED_FOLDERS) durable.clear()
    for (const at of fresh) durable.add(at)
  }
  return Object.assign(makeParents, { forget: () => durable.clear() })
}

/** Writes in blocks of a mebibyte, however small the pieces are that arrive. */
async function writeAll(
  handle: FileHandle,
  source: Buffer | AsyncIterable<Uint8Array>,
  max_bytes: number,
) {
  const block = spareBlocks.pop() ?? Buffer.allocUnsafeSlow(MIB)
  let filled = 0
  let size = 0
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
  // Not after an error: a write may still be reading from the block.
  reuseBlock(block)
  return size
}

/** Blocks for the next writes, because a new one per object keeps the garbage collector busy. */
const spareBlocks: Buffer[] = []
const MAX_SPARE_BLOCKS = 8
/** After this time an idle service releases its blocks. */
const SPARE_MS = 5_000
let release_scheduled = false

function reuseBlock(block: Buffer) {
  if (spareBlocks.length < MAX_SPARE_BLOCKS) spareBlocks.push(block)
  if (release_scheduled) return
  release_scheduled = true
  setTimeout(() => {
    release_scheduled = false
    spareBlocks.length = 0
  }, SPARE_MS).unref()
}

/** A disk that is nearly full writes a part first and reports an error only on the next call. */
async function writeBlock(handle: FileHandle, block: Uint8Array): Promise<void> {
  for (let at = 0; at < block.length; ) at += (await handle.write(block, at)).bytesWritten
}

/** A key below an object, or that is the folder of other keys, does not exist. */
function whenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR') return null
  throw error
}
