import type { IncomingMessage } from 'node:http'
import { uploadLimits } from '../../builds/limits.ts'
import { type FilePart, readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { type Finished, finishUpload } from '../finish.ts'
import type { Uploader } from '../queries.ts'
import { type Fields, findTarget, isComplete, type Target } from '../target.ts'
import { isStorageFailure } from './part-files.ts'
import { inspect, type Sink, type Staged, stage } from './staging.ts'

/** What the form adds around its file. */
export const FORM_BYTES = 1024 * 1024

/** A whole file in one request, its fields before or after it. */
export async function receiveFile(
  core: Core,
  request: IncomingMessage,
  uploader: Uploader,
): Promise<Finished> {
  if (Number(request.headers['content-length'] ?? 0) > uploadLimits.max_file_bytes + FORM_BYTES)
    refuse('UPLOAD_TOO_LARGE')
  const uid = uuidv7()
  let staged: Staged | undefined
  try {
    staged = await stage(core, { uid, game_uid: uploader.game_uid })
    const { sink } = staged
    const { target, size, checksum } = await readUpload(core, request, uploader, staged).finally(
      () => sink.close(),
    )
    if (checksum !== target.checksum) refuse('CHECKSUM_MISMATCH')
    await inspect(core, staged)
    return await finishUpload(core, staged, uploader, target, { uid, size })
  } catch (error) {
    if (isStorageFailure(error))
      refuse('UNAVAILABLE', undefined, 'The file could not be stored just now; try again shortly')
    throw error
  } finally {
    await staged?.drop()
  }
}

type Read = { target: Target; size: number; checksum: string }

async function readUpload(
  core: Core,
  request: IncomingMessage,
  { game_uid }: Uploader,
  staged: Staged,
): Promise<Read> {
  const fields: Fields = Object.create(null)
  let file: { filename: string; size: number; checksum: string } | undefined
  for await (const part of readForm(request, {
    max_bytes: uploadLimits.max_file_bytes + FORM_BYTES,
  })) {
    if ('value' in part) fields[part.name] = part.value
    else if (part.name === 'file' && !file) {
      // Only to refuse early: a field may still come after the file.
      if (isComplete(fields)) await findTarget(core.sql, game_uid, fields, part.filename)
      const size = await fill(part, staged.sink, uploadLimits.max_file_bytes)
      file = { filename: part.filename, size, checksum: await staged.checksum() }
    }
  }
  if (!file) refuse('FILE_MISSING', { field: 'file' }, 'Send the zip as the file part of the form')
  const target = await findTarget(core.sql, game_uid, fields, file.filename)
  return { target, size: file.size, checksum: file.checksum }
}

/** Puts a file of a form where it goes, and says how large it was. */
export async function fill({ bytes }: FilePart, sink: Sink, max_bytes: number): Promise<number> {
  for await (const chunk of bytes) {
    const busy = sink.write(chunk)
    if (sink.written > max_bytes) refuse('UPLOAD_TOO_LARGE')
    if (busy) await busy
  }
  await sink.finish()
  return sink.written
}
