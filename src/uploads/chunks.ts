import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import { findBuild } from '../builds/queries.ts'
import type { Core } from '../core/core.ts'
import { Refusal, refuse } from '../core/errors.ts'
import { readForm } from '../core/multipart.ts'
import { syncFolder } from '../core/storage.ts'
import { type Finished, finishUpload } from './finish.ts'
import { forgetHash, hashSoFar, keepHash } from './hashes.ts'
import { type Hold, hold } from './hold.ts'
import { inspectPart, isDiskTrouble, partPath, removePart } from './parts.ts'
import type { Uploader } from './queries.ts'
import { type Chunk, readChunkHeaders } from './range.ts'
import { FORM_BYTES } from './receive.ts'
import { advanceSession, completeSession, deleteSession, readFinished, readSession, type Session } from './session-queries.ts'
import { openSink, type Sink } from './sink.ts'

export type Progress = { session_id: string; current_size: number; expected_size: number; progress: number }

/** One chunk of a session: the progress, or with the last one the file. */
export async function receiveChunk(core: Core, request: IncomingMessage, { game_uid }: Uploader): Promise<Progress | Finished> {
  const chunk = readChunkHeaders(request.headers)
  const session = (await readSession(core.sql, game_uid, chunk.session_uid)) ?? refuse('UPLOAD_SESSION_GONE')
  if (session.completed) return (await readFinished(core.sql, session.file_uid)) ?? refuse('UPLOAD_SESSION_GONE')
  checkPlace(session, chunk)
  const mine = (await hold(core, session.uid, chunk.start)) ?? (await explainBusy(core, session))
  try {
    return await receive(core, request, session, chunk, mine)
  } catch (error) {
    const { current_size } = session
    if (isDiskTrouble(error)) refuse('CHUNK_OUT_OF_ORDER', { current_size }, 'The chunk could not be written; resume from current_size')
    throw error
  } finally {
    await mine.release()
  }
}

function checkPlace({ total_size, current_size }: Session, { start, total }: Chunk) {
  if (total !== total_size) refuse('INVALID_CHUNK', { current_size }, `The session was opened for ${total_size} bytes, not ${total}`)
  if (start !== current_size) refuse('CHUNK_OUT_OF_ORDER', { current_size })
}

/** It was not to be had: someone is at it, or was quicker. */
async function explainBusy(core: Core, { game_uid, uid, current_size }: Session): Promise<never> {
  const now = (await readSession(core.sql, game_uid, uid)) ?? refuse('UPLOAD_SESSION_GONE')
  if (now.current_size !== current_size && !now.held) refuse('CHUNK_OUT_OF_ORDER', { current_size: now.current_size })
  // Without current_size: uploaders that read it would not wait.
  refuse('CHUNK_IN_PROGRESS')
}

async function receive(core: Core, request: IncomingMessage, session: Session, chunk: Chunk, mine: Hold): Promise<Progress | Finished> {
  const path = await partPath(core, session.file_uid)
  const sink = await openSink(path, { at: chunk.start, hash: await hashSoFar(session.file_uid, path, chunk.start) })
  try {
    await writeChunk(request, sink, chunk, mine)
    if (chunk.start === 0) await syncFolder(dirname(path))
  } finally {
    await sink.close()
  }
  const current_size = chunk.start + chunk.length
  if (current_size === session.total_size) return complete(core, session, path, sink.hash.digest('hex'), mine)
  if (!(await advanceSession(core.sql, session.uid, mine.holder, current_size))) refuse('CHUNK_IN_PROGRESS')
  keepHash(session.file_uid, current_size, sink.hash)
  const { uid: session_id, total_size: expected_size } = session
  return { session_id, current_size, expected_size, progress: Math.round((current_size / expected_size) * 10_000) / 100 }
}

async function writeChunk(request: IncomingMessage, sink: Sink, { start, length }: Chunk, mine: Hold): Promise<void> {
  let found = false
  for await (const part of readForm(request, { max_bytes: length + FORM_BYTES })) {
    if (!('bytes' in part) || found) continue
    found = true
    for await (const bytes of part.bytes) {
      if (sink.written + bytes.length > length)
        refuse('UPLOAD_TOO_LARGE', { current_size: start }, 'The chunk is larger than its Content-Range')
      await mine.progress()
      const busy = sink.write(bytes)
      if (busy) await busy
    }
  }
  if (!found) refuse('FILE_MISSING', { current_size: start }, 'Send the chunk as the file part of the form')
  if (sink.written < length) refuse('INVALID_CHUNK', { current_size: start }, 'The chunk is smaller than its Content-Range')
  // The end of the form may have been long in coming, and the last bytes are not written yet.
  await mine.confirm()
  mine.keep()
  await sink.finish()
}

/** A whole that is not what was promised is over: nothing a later chunk could bring would mend it. */
async function complete(core: Core, session: Session, path: string, checksum: string, mine: Hold): Promise<Finished> {
  const { uid, game_uid, build_uid, file_uid, filename, os, arch, channel, method, key_ref, uploaded_by, total_size: size } = session
  try {
    if (checksum !== session.checksum) refuse('CHECKSUM_MISMATCH')
    await inspectPart(core, path)
  } catch (error) {
    if (error instanceof Refusal) {
      await deleteSession(core.sql, uid, mine.holder)
      await removePart(path)
    }
    throw error
  }
  const build = (await findBuild(core.sql, game_uid, build_uid)) ?? refuse('BUILD_NOT_FOUND')
  const target = { build, checksum, filename, os, arch, channel }
  const finished = await finishUpload(
    core,
    path,
    { game_uid, method, key_ref, uploaded_by },
    target,
    { uid: file_uid, size },
    async (tx) => {
      if (!(await completeSession(tx, uid, mine.holder))) refuse('CHUNK_IN_PROGRESS')
    },
  )
  await removePart(path)
  forgetHash(file_uid)
  return finished
}
