import type { IncomingMessage } from 'node:http'
import { findBuild } from '../../builds/builds/queries.ts'
import { readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { composeUpload } from '../deltas/compose-upload.ts'
import { finishUpload, refuseBlocked, withWarnings } from '../finish.ts'
import { readUploadedFile, type UploadedFile, type Uploader } from '../queries.ts'
import {
  advanceSession,
  completeSession,
  deleteSession,
  readSession,
  type Session,
} from '../sessions/queries.ts'
import { acquireLease, type SessionLease } from '../sessions/session-lease.ts'
import type { NameCollision } from '../zip/name-collisions.ts'
import { type Chunk, readChunkHeaders } from './chunk-headers.ts'
import { isStorageFailure } from './part-files.ts'
import { FORM_BYTES } from './receive-file.ts'
import {
  appendChunk,
  inspectUpload,
  type Sink,
  type StagedChunk,
  type StagedUpload,
} from './staging.ts'

export type UploadProgress = {
  session_id: string
  current_size: number
  expected_size: number
  progress: number
}

/**
 * Receives one chunk: leases the session, appends the bytes, and records them or, with the last
 * chunk, makes the file. Returns the progress or the file.
 */
export async function receiveChunk(
  core: Core,
  request: IncomingMessage,
  { game_uid }: Uploader,
): Promise<UploadProgress | UploadedFile> {
  const chunk = readChunkHeaders(request.headers)
  const { session_uid: uid, start, total } = chunk
  const lease = await acquireLease(core, { game_uid, uid, start, total })
  if (!lease) return answerWithoutLease(core, game_uid, chunk)
  crashPoint('chunk-leased')
  try {
    return await storeChunk(core, request, chunk, lease)
  } catch (error) {
    if (error instanceof Refusal) throw error
    // If another request has the session by now, refuse with that instead.
    await lease.renew()
    if (isStorageFailure(error))
      refuse(
        'CHUNK_OUT_OF_ORDER',
        { current_size: lease.session.current_size },
        'The chunk could not be written; resume from current_size',
      )
    throw error
  } finally {
    await lease.release()
  }
}

async function storeChunk(
  core: Core,
  request: IncomingMessage,
  chunk: Chunk,
  lease: SessionLease,
): Promise<UploadProgress | UploadedFile> {
  const { session } = lease
  const staged = await lease.renewDuring(appendChunk(core, chunk, lease))
  // Once the session may refer to the bytes, an error must not remove them: the sweep decides.
  let may_be_recorded = false
  try {
    await writeChunk(request, staged.sink, chunk, lease).finally(() => staged.sink.close())
    crashPoint('chunk-written')
    const current_size = chunk.start + chunk.length
    if (current_size === session.total_size) return await completeUpload(core, lease, staged)
    may_be_recorded = true
    may_be_recorded = await advanceSession(core.sql, session.uid, lease.holder, {
      current_size,
      ...staged.location(),
    })
    if (!may_be_recorded) refuse('CHUNK_IN_PROGRESS')
    crashPoint('chunk-recorded')
    lease.markReleased()
    await staged.afterRecorded().catch(() => {})
    return {
      session_id: session.uid,
      current_size,
      expected_size: session.total_size,
      progress: Math.round((current_size / session.total_size) * 10_000) / 100,
    }
  } catch (error) {
    if (!may_be_recorded) await staged.rollBack()
    throw error
  }
}

async function writeChunk(
  request: IncomingMessage,
  sink: Sink,
  { start, length }: Chunk,
  lease: SessionLease,
): Promise<void> {
  const current_size = start
  const written_before = sink.written
  let has_file = false
  for await (const part of readForm(request, { max_bytes: length + FORM_BYTES })) {
    if (!('bytes' in part) || has_file) continue
    has_file = true
    for await (const bytes of part.bytes) {
      if (sink.written - written_before + bytes.length > length)
        refuse('UPLOAD_TOO_LARGE', { current_size }, 'The chunk is larger than its Content-Range')
      await lease.renewIfDue()
      const writing = sink.write(bytes)
      if (writing) await lease.renewDuring(writing)
    }
  }
  if (!has_file)
    refuse('FILE_MISSING', { current_size }, 'Send the chunk as the file part of the form')
  if (sink.written - written_before < length)
    refuse('INVALID_CHUNK', { current_size }, 'The chunk is smaller than its Content-Range')
  // The end of the form may have taken long to arrive, and the last bytes are not written yet.
  await lease.renew()
  lease.keepRenewing()
  await sink.finish()
}

/** Makes the file. If its checksum or zip is bad, no later chunk can help: the session ends. */
async function completeUpload(
  core: Core,
  lease: SessionLease,
  staged: StagedChunk,
): Promise<UploadedFile> {
  const { session, holder } = lease
  const { game_uid, filename, os, arch, channel, source_checksum, release_percent } = session
  const { method, key_ref, uploaded_by } = session
  let zip: CheckedZip
  try {
    zip = await checkReceived(core, session, staged)
  } catch (error) {
    if (error instanceof Refusal) {
      await deleteSession(core.sql, session.uid, holder)
      await staged.discard()
    }
    throw error
  }
  const { checksum, size } = zip
  try {
    const build =
      (await findBuild(core.sql, game_uid, session.build_uid)) ?? refuse('BUILD_NOT_REGISTERED')
    const file = await finishUpload(core, {
      staged: zip.staged,
      uploader: { game_uid, method, key_ref, uploaded_by },
      target: { build, checksum, filename, os, arch, channel, release_percent },
      file_uid: uidOf(session),
      size,
      source_checksum,
      async inTransaction(tx) {
        if (!(await completeSession(tx, session.uid, holder, checksum))) refuse('CHUNK_IN_PROGRESS')
      },
    })
    lease.markReleased()
    // The file is recorded. What cannot be cleaned up now, the sweep removes later.
    await staged.afterRecorded().catch(() => {})
    await staged.discard().catch(() => {})
    crashPoint('session-discarded')
    return withWarnings(file, zip.collisions)
  } finally {
    if (zip.staged !== staged) await zip.staged.discard().catch(() => {})
  }
}

const uidOf = ({ file_uid, composed_uid }: Session) => composed_uid ?? file_uid

type CheckedZip = {
  staged: StagedUpload
  checksum: string
  size: number
  collisions: NameCollision[]
}

/** Compares what was received with its checksum, composes the zip of a delta, and inspects it. */
async function checkReceived(
  core: Core,
  session: Session,
  received: StagedChunk,
): Promise<CheckedZip> {
  const { game_uid, checksum, total_size, composed_uid, source_checksum } = session
  if ((await received.checksum()) !== checksum) refuse('CHECKSUM_MISMATCH')
  if (source_checksum) await refuseBlocked(core.sql, source_checksum)
  const zip = composed_uid
    ? await composeUpload(core, { game_uid, uid: composed_uid }, received)
    : { staged: received, checksum, size: total_size }
  try {
    await refuseBlocked(core.sql, zip.checksum)
    return { ...zip, collisions: await inspectUpload(core, zip.staged) }
  } catch (error) {
    if (zip.staged !== received) await zip.staged.discard().catch(() => {})
    throw error
  }
}

/** Explains why the session could not be leased, or answers again for a completed upload. */
async function answerWithoutLease(
  core: Core,
  game_uid: string,
  { session_uid, start, total }: Chunk,
): Promise<UploadedFile> {
  const session =
    (await readSession(core.sql, game_uid, session_uid)) ?? refuse('UPLOAD_SESSION_NOT_FOUND')
  if (session.completed)
    return (
      (await readUploadedFile(core.sql, { ...session, file_uid: uidOf(session) })) ??
      refuse('UPLOAD_SESSION_NOT_FOUND')
    )
  const { total_size, current_size, leased } = session
  if (total !== total_size)
    refuse(
      'INVALID_CHUNK',
      { current_size },
      `The session was opened for ${total_size} bytes, not ${total}`,
    )
  if (start !== current_size && !leased) refuse('CHUNK_OUT_OF_ORDER', { current_size })
  // Without current_size, because uploaders that read it would resume instead of waiting.
  refuse('CHUNK_IN_PROGRESS')
}
