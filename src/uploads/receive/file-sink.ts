import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../core/storage/durable-files.ts'
import { releaseBuffer } from '../../core/storage/release-buffer.ts'
import type { Sink } from './staging.ts'

const BLOCK = 1024 * 1024
/** How much may wait for the disk before it is asked to begin: the end of a chunk then finds most of it done. */
const AHEAD = 4 * BLOCK

/** A sink that also knows the hash of what went through. The memory of what it is given is given back once it is written. */
export type FileSink = Sink & { readonly hash: Hash }
type Options = {
  at?: number
  hash?: Hash /** A new file is found after a power cut, too. */
  keep_name?: boolean
}

/**
 * Bytes on their way to a place in a file: gathered to a mebibyte, written in one call and hashed while the disk is busy with them. At most
 * two blocks are in memory; the sender waits while the disk does.
 */
export async function openSink(
  path: string,
  { at = 0, hash = createHash('sha256'), keep_name = false }: Options = {},
): Promise<FileSink> {
  const handle = await open(path, at === 0 ? 'w' : 'r+', 0o640)
  let [waiting, gathered, written] = [[] as Uint8Array[], 0, 0]
  let writing: Promise<void> = Promise.resolve()
  let [synced, syncing, trouble] = [
    0,
    undefined as Promise<void> | undefined,
    undefined as Error | undefined,
  ]

  function beginSync() {
    if (syncing || written - synced < AHEAD) return
    synced = written
    // The system tells of a write that failed once, to whoever asks first: what this one hears, the end must say.
    syncing = handle
      .datasync()
      .catch((error: Error) => {
        trouble ??= error
      })
      .finally(() => {
        syncing = undefined
      })
  }

  async function flush() {
    const [blocks, length, position] = [waiting, gathered, at + written]
    ;[waiting, gathered] = [[], 0]
    written += length
    await writing
    writing = writeAll(handle, blocks, position).then(() => blocks.forEach(releaseBuffer))
    // Told when it is awaited; until then nobody listens.
    writing.catch(() => {})
    for (const block of blocks) hash.update(block)
    beginSync()
  }

  return {
    hash,
    get written() {
      return written + gathered
    },
    write(chunk) {
      waiting.push(chunk)
      gathered += chunk.length
      return gathered >= BLOCK ? flush() : undefined
    },
    async finish() {
      await flush()
      await writing
      await syncing
      await handle.datasync()
      if (trouble) throw trouble
      if (keep_name && at === 0) await syncFolder(dirname(path))
    },
    async close() {
      await writing.catch(() => {})
      await syncing
      await handle.close()
    },
  }
}

/** A disk that fills up takes a part first, and says so only on the next call. */
async function writeAll(handle: FileHandle, blocks: Uint8Array[], position: number): Promise<void> {
  let [rest, at] = [blocks, position]
  while (rest.length) {
    const { bytesWritten } = await handle.writev(rest, at)
    at += bytesWritten
    rest = after(rest, bytesWritten)
  }
}

function after(blocks: Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = 0
  for (const [index, block] of blocks.entries()) {
    if (skipped + block.length > bytes)
      return [block.subarray(bytes - skipped), ...blocks.slice(index + 1)]
    skipped += block.length
  }
  return []
}
