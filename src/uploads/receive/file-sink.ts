import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MIB } from '../../core/runtime/units.ts'
import { syncFolder } from '../../core/storage/durable-files.ts'
import { releaseBuffer } from '../../core/storage/release-buffer.ts'
import type { Sink } from './staging.ts'

const BLOCK_BYTES = MIB
/** After this many unsynced bytes a sync starts, so that the last one has little left to do. */
const SYNC_BYTES = 4 * MIB

/** A sink that also hashes. It releases the memory of each chunk once it is written. */
export type FileSink = Sink & { readonly hash: Hash }
type SinkOptions = {
  offset?: number
  hash?: Hash
  /** Syncs the folder of a new file as well, so that its name survives a power cut. */
  sync_folder?: boolean
}

/**
 * Opens a file for writing at an offset. Chunks are gathered to blocks of a mebibyte, written in
 * one call and hashed while the disk is busy. At most two blocks are in memory; `write` then waits.
 */
export async function openFileSink(
  path: string,
  { offset = 0, hash = createHash('sha256'), sync_folder = false }: SinkOptions = {},
): Promise<FileSink> {
  const handle = await open(path, offset === 0 ? 'w' : 'r+', 0o640)
  let gathered: Uint8Array[] = []
  let gathered_bytes = 0
  let written = 0
  let synced = 0
  let writing: Promise<void> = Promise.resolve()
  let syncing: Promise<void> | undefined
  let sync_error: Error | undefined

  function startSync() {
    if (syncing || written - synced < SYNC_BYTES) return
    synced = written
    // Linux reports a failed write to the first sync only, so `finish` must report this error.
    syncing = handle
      .datasync()
      .catch((error: Error) => {
        sync_error ??= error
      })
      .finally(() => {
        syncing = undefined
      })
  }

  async function flush() {
    const blocks = gathered
    const position = offset + written
    written += gathered_bytes
    gathered = []
    gathered_bytes = 0
    await writing
    writing = writeAll(handle, blocks, position).then(() => blocks.forEach(releaseBuffer))
    // The next flush or `finish` awaits it; until then a rejection must not count as unhandled.
    writing.catch(() => {})
    for (const block of blocks) hash.update(block)
    startSync()
  }

  return {
    hash,
    get written() {
      return written + gathered_bytes
    },
    write(chunk) {
      gathered.push(chunk)
      gathered_bytes += chunk.length
      return gathered_bytes >= BLOCK_BYTES ? flush() : undefined
    },
    async finish() {
      await flush()
      await writing
      await syncing
      await handle.datasync()
      if (sync_error) throw sync_error
      if (sync_folder && offset === 0) await syncFolder(dirname(path))
    },
    async close() {
      await writing.catch(() => {})
      await syncing
      await handle.close()
    },
  }
}

/** A disk that fills up writes a part first, and fails only on the next call. */
async function writeAll(handle: FileHandle, blocks: Uint8Array[], position: number): Promise<void> {
  let remaining = blocks
  let at = position
  while (remaining.length) {
    const { bytesWritten } = await handle.writev(remaining, at)
    at += bytesWritten
    remaining = dropBytes(remaining, bytesWritten)
  }
}

function dropBytes(blocks: Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = 0
  for (const [index, block] of blocks.entries()) {
    if (skipped + block.length > bytes)
      return [block.subarray(bytes - skipped), ...blocks.slice(index + 1)]
    skipped += block.length
  }
  return []
}
