import type { IncomingMessage } from 'node:http'
import { findBuild } from '../../builds/builds/queries.ts'
import { readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { type Finished, finishUpload } from '../finish.ts'
import type { Uploader } from '../queries.ts'
import {
  advanceSession,
  completeSession,
  deleteSession,
  readFinished,
  readSession,
} from '../sessions/queries.ts'
import { type Hold, hold } from '../sessions/session-lease.ts'
import { type Chunk, readChunkHeaders } from './chunk-headers.ts'
import { isStorageFailure } from './part-files.ts'
import { FORM_BYTES } from './receive-file.ts'
import { goOn, inspect, type Piece, type Sink } from './staging.ts'

export type Progress = {
  session_id: string
  current_size: number
  expected_size: number
  progress: number
}

/** One chunk of a session: the progress, or with the last one the file. */
export async function receiveChunk(
  core: Core,
  request: IncomingMessage,
  { game_uid }: Uploader,
): Promise<Progress | Finished> {
  const chunk = readChunkHeaders(request.headers)
  const mine = await hold(core, {
    game_uid,
    uid: chunk.session_uid,
    start: chunk.start,
    total: chunk.total,
  })
  if (!mine) return explain(core, game_uid, chunk)
  try {
    return await receive(core, request, chunk, mine)
  } catch (error) {
    if (error instanceof Refusal) throw error
    // Where the session is another's by now, what went wrong is that.
    await mine.confirm()
    const { current_size } = mine.session
    if (isStorageFailure(error))
      refuse(
        'CHUNK_OUT_OF_ORDER',
        { current_size },
        'The chunk could not be written; resume from current_size',
      )
    throw error
  } finally {
    await mine.release()
  }
}

/** It was not to be had: it is gone, over or elsewhere, or someone is at it. */
async function explain(
  core: Core,
  game_uid: string,
  { session_uid, start, total }: Chunk,
): Promise<Finished> {
  const session =
    (await readSession(core.sql, game_uid, session_uid)) ?? refuse('UPLOAD_SESSION_NOT_FOUND')
  if (session.completed)
    return (await readFinished(core.sql, session.file_uid)) ?? refuse('UPLOAD_SESSION_NOT_FOUND')
  const { total_size, current_size, held } = session
  if (total !== total_size)
    refuse(
      'INVALID_CHUNK',
      { current_size },
      `The session was opened for ${total_size} bytes, not ${total}`,
    )
  if (start !== current_size && !held) refuse('CHUNK_OUT_OF_ORDER', { current_size })
  // Without current_size: uploaders that read it would not wait.
  refuse('CHUNK_IN_PROGRESS')
}

async function receive(
  core: Core,
  request: IncomingMessage,
  chunk: Chunk,
  mine: Hold,
): Promise<Progress | Finished> {
  const { session } = mine
  const piece = await mine.during(goOn(core, chunk, mine))
  // From there on the session may name these bytes, whatever the answer says; what nobody names is swept.
  let kept = false
  try {
    await writeChunk(request, piece.sink, chunk, mine).finally(() => piece.sink.close())
    const current_size = chunk.start + chunk.length
    if (current_size === session.total_size) return await complete(core, mine, piece)
    kept = true
    kept = await advanceSession(core.sql, session.uid, mine.holder, current_size, piece.place())
    if (!kept) refuse('CHUNK_IN_PROGRESS')
    mine.isDone()
    await piece.recorded().catch(() => {})
    const { uid: session_id, total_size: expected_size } = session
    return {
      session_id,
      current_size,
      expected_size,
      progress: Math.round((current_size / expected_size) * 10_000) / 100,
    }
  } catch (error) {
    if (!kept) await piece.undo()
    throw error
  }
}

async function writeChunk(
  request: IncomingMessage,
  sink: Sink,
  { start, length }: Chunk,
  mine: Hold,
): Promise<void> {
  const [base, current_size] = [sink.written, start]
  let found = false
  for await (const part of readForm(request, { max_bytes: length + FORM_BYTES })) {
    if (!('bytes' in part) || found) continue
    found = true
    for await (const bytes of part.bytes) {
      if (sink.written - base + bytes.length > length)
        refuse('UPLOAD_TOO_LARGE', { current_size }, 'The chunk is larger than its Content-Range')
      await mine.progress()
      const busy = sink.write(bytes)
      if (busy) await mine.during(busy)
    }
  }
  if (!found)
    refuse('FILE_MISSING', { current_size }, 'Send the chunk as the file part of the form')
  if (sink.written - base < length)
    refuse('INVALID_CHUNK', { current_size }, 'The chunk is smaller than its Content-Range')
  // The end of the form may have been long in coming, and the last bytes are not written yet.
  await mine.confirm()
  mine.keep()
  await sink.finish()
}

/** A whole that is not what was promised is over: nothing a later chunk could bring would mend it. */
async function complete(core: Core, mine: Hold, piece: Piece): Promise<Finished> {
  const {
    uid,
    game_uid,
    build_uid,
    file_uid,
    filename,
    os,
    arch,
    channel,
    method,
    key_ref,
    uploaded_by,
    total_size: size,
  } = mine.session
  const { checksum } = mine.session
  try {
    if ((await piece.checksum()) !== checksum) refuse('CHECKSUM_MISMATCH')
    await inspect(core, piece)
  } catch (error) {
    if (error instanceof Refusal) {
      await deleteSession(core.sql, uid, mine.holder)
      await piece.drop()
    }
    throw error
  }
  const build = (await findBuild(core.sql, game_uid, build_uid)) ?? refuse('BUILD_NOT_REGISTERED')
  const target = { build, checksum, filename, os, arch, channel }
  const uploader = { game_uid, method, key_ref, uploaded_by }
  const finished = await finishUpload(
    core,
    piece,
    uploader,
    target,
    { uid: file_uid, size },
    async (tx) => {
      if (!(await completeSession(tx, uid, mine.holder))) refuse('CHUNK_IN_PROGRESS')
    },
  )
  mine.isDone()
  // The file is recorded: what could not be tidied up now is swept.
  await piece.recorded().catch(() => {})
  await piece.drop().catch(() => {})
  return finished
}
