import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import {
  chmod,
  copyFile,
  type FileHandle,
  link,
  lstat,
  readdir,
  realpath,
  rm,
  stat,
  utimes,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { replaceFile, syncFile } from '../../src/core/storage/durable-files.ts'

/** Replaces a small file in one step: a reader sees the old text or the new one, whole. */
export async function replaceText(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`
  // A run that was killed may have left it.
  await rm(temporary, { force: true })
  await replaceFile(path, temporary, (handle) => handle.writeFile(text))
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(block as Buffer)
  return hash.digest('hex')
}

/** A path without links in it, also of what does not exist yet. */
export async function realPath(path: string): Promise<string> {
  const full = resolve(path)
  return realpath(full).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(full) === full) throw error
    return join(await realPath(dirname(full)), basename(full))
  })
}

/** The stats of what is at a path, without following a link; undefined if there is nothing. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

/** Removes what is at a path, also folders that their owner may not write to. */
export async function removeTree(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true })
  await remove().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
    await makeRemovable(path)
    await remove()
  })
}

async function makeRemovable(path: string): Promise<void> {
  const stats = await statsOf(path)
  if (!stats?.isDirectory()) return
  // It fails for a folder of another user; the removal then says what it cannot remove.
  await chmod(path, stats.mode | 0o700).catch(() => {})
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await makeRemovable(join(path, entry.name))
}

/** Every file and link below a folder, and every folder without anything in it. */
export async function* walkTree(folder: string, prefix = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true })
  if (!entries.length && prefix) yield prefix
  for (const entry of entries)
    if (entry.isDirectory()) yield* walkTree(folder, `${prefix}${entry.name}/`)
    else yield `${prefix}${entry.name}`
}

/** The paths of a tree, if there is one. */
export async function pathsIn(folder: string): Promise<string[]> {
  const paths: string[] = []
  if ((await statsOf(folder))?.isDirectory())
    for await (const path of walkTree(folder)) paths.push(path)
  return paths
}

/** How many bytes files, and the files in folders, take; what does not exist takes none. */
export async function sizeOfFiles(paths: readonly string[]): Promise<number> {
  let total = 0
  for (const path of paths) {
    const stats = await statsOf(path)
    if (stats?.isFile()) total += stats.size
    for (const name of await pathsIn(path)) total += (await statsOf(join(path, name)))?.size ?? 0
  }
  return total
}

/** Disks without hard links get a copy. */
export async function linkOrCopy(source: string, target: string): Promise<void> {
  await link(source, target).catch(() => copySynced(source, target))
}

/** Copies a file with its permissions and its time of change. */
export async function copySynced(source: string, target: string): Promise<void> {
  const { atime, mtime } = await stat(source)
  await copyFile(source, target)
  await utimes(target, atime, mtime)
  await syncFile(target)
}

/** Writes everything at a position. */
export async function writeAll(handle: FileHandle, block: Buffer, position: number) {
  for (let at = 0; at < block.length; ) {
    const { bytesWritten } = await handle.write(block, at, block.length - at, position + at)
    at += bytesWritten
  }
}

/**
 * Runs tasks, so many at a time. The first failure aborts the signal that they get, and is thrown
 * when all of them have ended: none of them writes after that.
 */
export async function inParallel<T>(
  items: readonly T[],
  at_once: number,
  run: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const failure = new AbortController()
  const work = async () => {
    for (const item of queue) {
      if (failure.signal.aborted) return
      await run(item, failure.signal).catch((error) => failure.abort(error))
    }
  }
  await Promise.all(Array.from({ length: at_once }, work))
  failure.signal.throwIfAborted()
}
