import { type FileHandle, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal } from '../../core/runtime/errors.ts'
import { KIB } from '../../core/runtime/units.ts'
import { makeFolder } from '../../core/storage/durable-files.ts'
import { isStorageUnavailable } from '../../core/storage/storage.ts'
import { type ReadAt, ZipError } from '../zip/directory.ts'
import type { StreamAt } from '../zip/entry.ts'

const BLOCK_BYTES = 256 * KIB
const folders = new Map<string, Promise<void>>()

/** The path of a part file, `<file uid>.part`; `part` distinguishes several of one upload. */
export async function partPath(
  { config }: Core,
  file_uid: string,
  part: string | null = null,
): Promise<string> {
  const folder = join(config.data_dir, 'uploads')
  const ready = folders.get(folder) ?? makeFolder(folder)
  folders.set(folder, ready)
  await ready.catch((error) => {
    folders.delete(folder)
    throw error
  })
  return join(folder, part ? `${file_uid}.${part}.part` : `${file_uid}.part`)
}

export const removePart = (path: string) => rm(path, { force: true })

/** Reads a zip from an open file. */
export function zipFileReader(handle: FileHandle): { read: ReadAt; stream: StreamAt } {
  return {
    async read(start, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start)
      return bytesRead === length ? buffer : Promise.reject(new ZipError('ends too early'))
    },
    stream: async (start, length) =>
      Readable.from(readBlocks(handle, start, start + length), { objectMode: false }),
  }
}

/** Used instead of a stream of the handle, which would close the handle when it ends early. */
async function* readBlocks(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(BLOCK_BYTES, end - at)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(BLOCK_BYTES), 0, length, at)
    if (bytesRead === 0) throw new ZipError('ends too early')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Whether the disk, or the object store in its place, has failed. */
export const isStorageFailure = (error: unknown) =>
  !(error instanceof Refusal) && isStorageUnavailable(error)
