import { type FileHandle, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal } from '../../core/runtime/errors.ts'
import { makeFolder } from '../../core/storage/durable-files.ts'
import { isStorageUnavailable } from '../../core/storage/storage.ts'
import { type ReadAt, ZipError } from '../zip/directory.ts'
import type { StreamAt } from '../zip/entry.ts'

const BLOCK = 256 * 1024
const made = new Map<string, Promise<void>>()

/** Where the bytes of an upload wait until it is whole; `part` tells files of one upload apart. */
export async function partPath(
  { config }: Core,
  file_uid: string,
  part: string | null = null,
): Promise<string> {
  const folder = join(config.data_dir, 'uploads')
  const ready = made.get(folder) ?? makeFolder(folder)
  made.set(folder, ready)
  await ready.catch((error) => {
    made.delete(folder)
    throw error
  })
  return join(folder, part ? `${file_uid}.${part}.part` : `${file_uid}.part`)
}

export const removePart = (path: string) => rm(path, { force: true })

/** A file on our disk as the readers of zips take it. */
export function zipFileReader(handle: FileHandle): { read: ReadAt; stream: StreamAt } {
  return {
    async read(start, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start)
      return bytesRead === length ? buffer : Promise.reject(new ZipError('ends too early'))
    },
    stream: async (start, length) =>
      Readable.from(blocks(handle, start, start + length), { objectMode: false }),
  }
}

/** A stream of the handle's own would close it when it is ended early. */
async function* blocks(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(BLOCK),
      0,
      Math.min(BLOCK, end - at),
      at,
    )
    if (bytesRead === 0) throw new ZipError('ends too early')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Of the disk, or of the store in its place. */
export const isStorageFailure = (error: unknown) =>
  !(error instanceof Refusal) && isStorageUnavailable(error)
