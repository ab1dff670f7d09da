import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { MIB } from '../../core/runtime/units.ts'
import { deleteSession } from '../sessions/queries.ts'
import type { SessionLease } from '../sessions/session-lease.ts'
import type { Chunk } from './chunk-headers.ts'
import { type FileSink, openFileSink } from './file-sink.ts'
import { partPath, removePart, zipFileReader } from './part-files.ts'
import { cacheHash, dropHash, resumeHash } from './resumable-hash.ts'
import type { NewFile, StagedChunk, StagedUpload } from './staging.ts'
import { uploadKey } from './upload-key.ts'

/** Stages an upload in a part file, which becomes the stored object without being copied. */
export async function stageInFile(core: Core, file: NewFile): Promise<StagedUpload> {
  const path = await partPath(core, file.uid)
  return stagedFile(core, file, await openFileSink(path), [path])
}

/** The first path has the bytes; the others are removed with it. */
function stagedFile(
  core: Core,
  file: NewFile,
  sink: FileSink,
  paths: [string, ...string[]],
): StagedUpload {
  const [path] = paths
  return {
    sink,
    checksum: async () => sink.hash.digest('hex'),
    async open() {
      const handle = await open(path, 'r')
      const { size } = await handle.stat()
      return { read: zipFileReader(handle).read, size, close: () => handle.close() }
    },
    commit: () => core.storage.adopt(uploadKey(file), path),
    async discard() {
      for (const part of paths) await removePart(part)
      dropHash(file.uid)
    },
  }
}

/** A zip that was composed in a part file, and is durable there. */
export function stageComposed(
  core: Core,
  file: NewFile,
  path: string,
  checksum: string,
): StagedUpload {
  const sink = { write: () => undefined, finish: noop, close: noop, written: 0 }
  return {
    ...stagedFile(core, file, { ...sink, hash: createHash('sha256') }, [path]),
    checksum: async () => checksum,
  }
}

const noop = async () => {}

/**
 * Appends a chunk to the session's part file, or to a copy of it if a request that lost its lease
 * may still be writing to it.
 */
export async function appendToFile(
  core: Core,
  { start, length }: Chunk,
  lease: SessionLease,
): Promise<StagedChunk> {
  const { file_uid, game_uid, part: old_part, part_contested } = lease.session
  const part = part_contested ? lease.holder : old_part
  const old_path = await partPath(core, file_uid, old_part)
  const path = await partPath(core, file_uid, part)
  const is_copy = path !== old_path
  const opening = is_copy ? copyPart(old_path, path, start, lease) : openPart(path, start, lease)
  const sink = await opening.catch(async (error) => {
    if (is_copy) await removePart(path)
    return endSessionWithoutPart(core, start, lease, error)
  })
  return {
    ...stagedFile(core, { uid: file_uid, game_uid }, sink, [path, old_path]),
    location: () => ({ part, staged: null }),
    async afterRecorded() {
      cacheHash(file_uid, start + length, sink.hash)
      if (is_copy) await removePart(old_path)
    },
    async rollBack() {
      if (is_copy) await removePart(path)
    },
  }
}

const openPart = async (path: string, offset: number, { session, renewIfDue }: SessionLease) =>
  openFileSink(path, {
    offset,
    hash: await resumeHash(session.file_uid, path, offset, renewIfDue),
    sync_folder: true,
  })

/** If the acknowledged bytes are gone, no chunk can continue: the client must start again. */
async function endSessionWithoutPart(
  core: Core,
  start: number,
  lease: SessionLease,
  error: NodeJS.ErrnoException,
): Promise<never> {
  if (error.code !== 'ENOENT' || start === 0) throw error
  await lease.renew()
  await deleteSession(core.sql, lease.session.uid, lease.holder)
  dropHash(lease.session.file_uid)
  refuse('UPLOAD_SESSION_NOT_FOUND')
}

/**
 * Copies the acknowledged bytes to a part file that only this lease knows. A process that lost its
 * lease while frozen in a write will finish that write when it resumes, in a file nobody reads.
 */
async function copyPart(
  old_path: string,
  path: string,
  size: number,
  lease: SessionLease,
): Promise<FileSink> {
  const sink = await openFileSink(path, { sync_folder: true })
  if (size === 0) return sink
  try {
    const source = createReadStream(old_path, { end: size - 1, highWaterMark: MIB })
    for await (const block of source) {
      await lease.renewIfDue()
      await sink.write(block)
    }
    return sink
  } catch (error) {
    await sink.close()
    throw error
  }
}
