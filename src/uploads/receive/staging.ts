import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import type { SessionLease } from '../sessions/session-lease.ts'
import { type ReadAt, ZipError } from '../zip/directory.ts'
import { inspectZip, zipLimits } from '../zip/inspect.ts'
import type { NameCollision } from '../zip/name-collisions.ts'
import type { Chunk } from './chunk-headers.ts'
import { appendToFile, stageInFile } from './local-staging.ts'
import { appendToObject, stageInObjectStore } from './object-staging.ts'
import { uploadKey } from './upload-key.ts'

/** Takes bytes; `finish` resolves once all of them would survive a power cut. */
export type Sink = {
  write: (chunk: Uint8Array) => Promise<void> | undefined
  finish: () => Promise<void>
  close: () => Promise<void>
  readonly written: number
}

/** The bytes of an upload until they become a file: in a local file or in an object store. */
export type StagedUpload = {
  sink: Sink
  /** The SHA-256 of all bytes, once all are there. */
  checksum: () => Promise<string>
  /** Opens the complete upload for reading. */
  open: () => Promise<{ read: ReadAt; size: number; close: () => Promise<void> }>
  /** Makes the bytes the stored object of the file. Safe to call twice. */
  commit: () => Promise<void>
  /** Removes the staged bytes; a committed file stays. */
  discard: () => Promise<void>
}

/** Where the bytes of a session are, as its row records it. */
export type StagingLocation = { part: string | null; staged: StagedParts | null }
export type StagedParts = {
  upload: string
  parts: { number: number; etag: string }[]
  /** The end of the last chunk, too short for a part, stored as an object until the next chunk. */
  tail: { key: string; size: number } | null
  /** The state of the hash after these bytes, with which any process can continue. */
  hash: string
}

/** One chunk of a session, appended to the bytes that the session has. */
export type StagedChunk = StagedUpload & {
  location: () => StagingLocation
  /** Called when the session has recorded the chunk: removes what the chunk replaced. */
  afterRecorded: () => Promise<void>
  /** Called when the chunk failed: removes what it wrote. */
  rollBack: () => Promise<void>
}

export type NewFile = { uid: string; game_uid: string; size?: number }

/** Stages a whole file that is sent in one request. */
export const stageUpload = (core: Core, file: NewFile): Promise<StagedUpload> =>
  core.storage.parts ? stageInObjectStore(core, uploadKey(file)) : stageInFile(core, file)

/** Continues the bytes of a leased session with a chunk. */
export const appendChunk = (core: Core, chunk: Chunk, lease: SessionLease): Promise<StagedChunk> =>
  core.storage.parts ? appendToObject(core, chunk, lease) : appendToFile(core, chunk, lease)

/**
 * Reads the directory of a complete zip and refuses one that breaks the rules. Returns the names
 * that its publisher should know about.
 */
export async function inspectUpload(
  { config }: Core,
  staged: StagedUpload,
): Promise<NameCollision[]> {
  const { read, size, close } = await staged.open()
  try {
    return (await inspectZip(read, size, zipLimits(config))).collisions
  } catch (error) {
    if (error instanceof ZipError) refuse('INVALID_UPLOAD', { field: 'file' }, error.explanation)
    throw error
  } finally {
    await close()
  }
}
