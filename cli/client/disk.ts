import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What was acknowledged as written survives a power cut: files and folders are synced. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and writes their entries with the file.
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces a small file in one step: a reader sees the old text or the new one, whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`
  const handle = await open(temporary, 'w', 0o644)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

/** Makes a folder and its parents, so that they are there after a power cut. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    await syncFolder(dirname(folder))
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(block as Buffer)
  return hash.digest('hex')
}

/** The stats of what is at a path, without following a link; undefined if there is nothing. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

/** Every file and link below a folder, and every folder without anything in it. */
export async function* walkTree(folder: string, prefix = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true })
  if (!entries.length && prefix) yield prefix
  for (const entry of entries)
    if (entry.isDirectory()) yield* walkTree(folder, `${prefix}${entry.name}/`)
    else yield `${prefix}${entry.name}`
}

/** Writes everything at a position. */
export async function writeAll(handle: FileHandle, block: Buffer, position: number) {
  for (let at = 0; at < block.length; ) {
    const { bytesWritten } = await handle.write(block, at, block.length - at, position + at)
    at += bytesWritten
  }
}

/** Runs tasks, so many at a time; the first failure ends all. */
export async function inParallel<T>(
  items: readonly T[],
  at_once: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let failed = false
  const work = async () => {
    for (const item of queue) {
      if (failed) return
      try {
        await run(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: at_once }, work))
}
