import { fileKey } from '../../builds/files/key.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import type { Hold } from '../sessions/session-lease.ts'
import { type ReadAt, ZipError } from '../zip/directory.ts'
import { inspectZip, zipLimits } from '../zip/inspect.ts'
import type { Chunk } from './chunk-headers.ts'
import { goOnInFile, stageFile } from './local-staging.ts'
import { goOnInStore, stageObject } from './object-staging.ts'

/** Takes bytes; `finish` resolves once every one of them would survive a power cut. */
export type Sink = {
  write: (chunk: Uint8Array) => Promise<void> | undefined
  finish: () => Promise<void>
  close: () => Promise<void>
  readonly written: number
}

/** The bytes of one upload, wherever they wait until they are a file. */
export type Staged = {
  sink: Sink
  /** Of all of them, once they are there. */
  checksum: () => Promise<string>
  /** For looking into the whole. */
  open: () => Promise<{ read: ReadAt; size: number; close: () => Promise<void> }>
  /** Makes them the object of the file. Twice is once. */
  settle: () => Promise<void>
  /** Removes what waits; a settled file stays. */
  drop: () => Promise<void>
}

/** What the session remembers of where its bytes are: a file of ours, or parts in a store. */
export type Place = { part: string | null; staged: StagedParts | null }
export type StagedParts = {
  upload: string
  parts: { number: number; etag: string }[]
  /** Too little for a part: it waits beside them for what follows. */
  tail: { key: string; size: number } | null
  /** The hash of the bytes so far, as another process can go on with. */
  hash: string
}

/** One chunk of a session, after what the session has already. */
export type Piece = Staged & {
  place: () => Place
  /** The session has it now: what it replaces can go. */
  recorded: () => Promise<void>
  /** The chunk did not make it. */
  undo: () => Promise<void>
}

export type NewFile = { uid: string; game_uid: string; size?: number }

/** For a whole file in one request. */
export const stage = (core: Core, file: NewFile): Promise<Staged> =>
  core.storage.parts ? stageObject(core, fileKey(file)) : stageFile(core, file)

export const goOn = (core: Core, chunk: Chunk, mine: Hold): Promise<Piece> =>
  core.storage.parts ? goOnInStore(core, chunk, mine) : goOnInFile(core, chunk, mine)

/** Reads the directory of a zip that is whole, and refuses what may not come in. */
export async function inspect({ config }: Core, staged: Staged): Promise<void> {
  const { read, size, close } = await staged.open()
  try {
    await inspectZip(read, size, zipLimits(config))
  } catch (error) {
    if (error instanceof ZipError)
      refuse('INVALID_UPLOAD', { field: 'file' }, `The zip ${error.message}`)
    throw error
  } finally {
    await close()
  }
}
