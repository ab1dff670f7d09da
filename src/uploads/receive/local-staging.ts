import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileKey } from '../../builds/files/key.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { deleteSession } from '../sessions/queries.ts'
import type { Hold } from '../sessions/session-lease.ts'
import type { Chunk } from './chunk-headers.ts'
import { type FileSink, openSink } from './file-sink.ts'
import { partPath, removePart, zipFileReader } from './part-files.ts'
import { forgetHash, hashSoFar, keepHash } from './resumable-hash.ts'
import type { NewFile, Piece, Staged } from './staging.ts'

const COPY_BLOCK = 1024 * 1024

/** The bytes wait in a file on our disk, and become the object without being copied. */
export async function stageFile(core: Core, file: NewFile): Promise<Staged> {
  const path = await partPath(core, file.uid)
  return stagedIn(core, file, await openSink(path), [path])
}

function stagedIn(
  core: Core,
  file: NewFile,
  sink: FileSink,
  [path, ...others]: [string, ...string[]],
): Staged {
  return {
    sink,
    checksum: async () => sink.hash.digest('hex'),
    async open() {
      const handle = await open(path, 'r')
      return {
        read: zipFileReader(handle).read,
        size: (await handle.stat()).size,
        close: () => handle.close(),
      }
    },
    settle: () => core.storage.adopt(fileKey(file), path),
    async drop() {
      for (const each of [path, ...others]) await removePart(each)
      forgetHash(file.uid)
    },
  }
}

/** A chunk goes to the end of the session's file, or of a copy where someone else may still be writing to that. */
export async function goOnInFile(core: Core, { start, length }: Chunk, mine: Hold): Promise<Piece> {
  const { file_uid, game_uid, part: part_before, part_contested } = mine.session
  const before = await partPath(core, file_uid, part_before)
  const part = part_contested ? mine.holder : part_before
  const path = await partPath(core, file_uid, part)
  const moved = path !== before
  const sink = await (moved ? copy(before, path, start, mine) : append(path, start, mine)).catch(
    async (error) => {
      if (moved) await removePart(path)
      return endWithoutPart(core, start, mine, error)
    },
  )
  return {
    ...stagedIn(core, { uid: file_uid, game_uid }, sink, [path, before]),
    place: () => ({ part, staged: null }),
    async recorded() {
      keepHash(file_uid, start + length, sink.hash)
      if (moved) await removePart(before)
    },
    undo: async () => {
      if (moved) await removePart(path)
    },
  }
}

const append = async (path: string, at: number, { session, progress }: Hold) =>
  openSink(path, {
    at,
    hash: await hashSoFar(session.file_uid, path, at, progress),
    keep_name: true,
  })

/** What was acknowledged is no longer there: no chunk could go on from it, so the uploader is told to begin again. */
async function endWithoutPart(
  core: Core,
  start: number,
  mine: Hold,
  error: NodeJS.ErrnoException,
): Promise<never> {
  if (error.code !== 'ENOENT' || start === 0) throw error
  await mine.confirm()
  await deleteSession(core.sql, mine.session.uid, mine.holder)
  forgetHash(mine.session.file_uid)
  refuse('UPLOAD_SESSION_NOT_FOUND')
}

/**
 * Someone lost the session without letting go, and a process that is frozen in the middle of a write will finish it when it thaws: what was
 * acknowledged moves to a file that only this holder has, and whatever the other still writes, it writes into one that nobody reads.
 */
async function copy(before: string, path: string, size: number, mine: Hold): Promise<FileSink> {
  const sink = await openSink(path, { keep_name: true })
  try {
    if (size > 0)
      for await (const block of createReadStream(before, {
        end: size - 1,
        highWaterMark: COPY_BLOCK,
      })) {
        await mine.progress()
        await sink.write(block)
      }
    return sink
  } catch (error) {
    await sink.close()
    throw error
  }
}
