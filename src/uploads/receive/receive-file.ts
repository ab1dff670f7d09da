import type { IncomingMessage } from 'node:http'
import { uploadLimits } from '../../builds/upload-limits.ts'
import { type FilePart, readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { MIB } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { announcedBytes, checkQuota } from '../../listings/storage/quota.ts'
import { finishUpload, refuseBlocked, withWarnings } from '../finish.ts'
import type { UploadedFile } from '../queries.ts'
import { findTarget, isComplete, type UploadFields, type UploadTarget } from '../target.ts'
import { checkMayRelease, type Sender } from '../uploader-auth.ts'
import { isStorageFailure } from './part-files.ts'
import { refuseTooLarge } from './size-limit.ts'
import { inspectUpload, type Sink, type StagedUpload, stageUpload } from './staging.ts'

/** How much larger than its file a form may be. */
export const FORM_BYTES = MIB
const MAX_REQUEST_BYTES = uploadLimits.max_file_bytes + FORM_BYTES

/** Receives a whole file in one request; its fields may come before or after it. */
export async function receiveFile(
  core: Core,
  request: IncomingMessage,
  sender: Sender,
): Promise<UploadedFile> {
  const { uploader } = sender
  if (Number(request.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES)
    refuseTooLarge(uploadLimits.max_file_bytes)
  await checkQuota(core, {
    game_uid: uploader.game_uid,
    sender: 'developers',
    bytes: announcedBytes(request, FORM_BYTES),
  })
  const file_uid = uuidv7()
  let staged: StagedUpload | undefined
  try {
    staged = await stageUpload(core, { uid: file_uid, game_uid: uploader.game_uid })
    const { sink } = staged
    const { target, size, checksum } = await readUploadForm(core, request, sender, staged).finally(
      () => sink.close(),
    )
    if (checksum !== target.checksum) refuse('CHECKSUM_MISMATCH')
    await refuseBlocked(core.sql, checksum)
    const collisions = await inspectUpload(core, staged)
    return withWarnings(
      await finishUpload(core, { staged, uploader, target, file_uid, size }),
      collisions,
    )
  } catch (error) {
    if (isStorageFailure(error))
      refuse(
        'UNAVAILABLE',
        undefined,
        explain('file_not_stored', 'The file could not be stored; try again shortly'),
      )
    throw error
  } finally {
    await staged?.discard()
    crashPoint('upload-discarded')
  }
}

type ReceivedForm = { target: UploadTarget; size: number; checksum: string }

async function readUploadForm(
  core: Core,
  request: IncomingMessage,
  sender: Sender,
  staged: StagedUpload,
): Promise<ReceivedForm> {
  const { game_uid } = sender.uploader
  const fields: UploadFields = Object.create(null)
  let file: { filename: string; size: number; checksum: string } | undefined
  for await (const part of readForm(request, { max_bytes: MAX_REQUEST_BYTES })) {
    if ('value' in part) fields[part.name] = part.value
    else if (part.name === 'file' && !file) {
      // Refuses a bad upload early; fields that come after the file are checked below.
      const { filename } = part
      if (isComplete(fields)) {
        const form = { fields, filename, is_partial: true }
        checkMayRelease(sender, await findTarget(core.sql, game_uid, form))
      }
      const size = await copyFilePart(part, staged.sink, uploadLimits.max_file_bytes)
      file = { filename, size, checksum: await staged.checksum() }
    }
  }
  if (!file) refuse('FILE_MISSING', { field: 'file' }, 'Send the zip as the file part of the form')
  const target = await findTarget(core.sql, game_uid, { fields, filename: file.filename })
  checkMayRelease(sender, target)
  return { target, size: file.size, checksum: file.checksum }
}

/** Writes the file of a form to the sink, and returns its size. */
export async function copyFilePart(
  { bytes }: FilePart,
  sink: Sink,
  max_bytes: number,
): Promise<number> {
  for await (const chunk of bytes) {
    const writing = sink.write(chunk)
    if (sink.written > max_bytes) refuseTooLarge(max_bytes)
    if (writing) await writing
  }
  await sink.finish()
  return sink.written
}
