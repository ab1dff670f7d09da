import type { IncomingMessage } from 'node:http'
import { uploadLimits } from '../builds/limits.ts'
import type { Core } from '../core/core.ts'
import { uuidv7 } from '../core/crypto.ts'
import { refuse } from '../core/errors.ts'
import { type FilePart, readForm } from '../core/multipart.ts'
import { type Finished, finishUpload } from './finish.ts'
import { inspectPart, isDiskTrouble, partPath, removePart } from './parts.ts'
import type { Uploader } from './queries.ts'
import { openSink } from './sink.ts'
import { type Fields, findTarget, isComplete, type Target } from './target.ts'

/** What the form adds around its file. */
export const FORM_BYTES = 1024 * 1024

/** A whole file in one request, its fields before or after it. */
export async function receiveFile(core: Core, request: IncomingMessage, uploader: Uploader): Promise<Finished> {
  if (Number(request.headers['content-length'] ?? 0) > uploadLimits.max_file_bytes + FORM_BYTES) refuse('UPLOAD_TOO_LARGE')
  const uid = uuidv7()
  const path = await partPath(core, uid)
  try {
    const { target, size, checksum } = await readUpload(core, request, uploader, path)
    if (checksum !== target.checksum) refuse('CHECKSUM_MISMATCH')
    await inspectPart(core, path)
    return await finishUpload(core, path, uploader, target, { uid, size })
  } catch (error) {
    if (isDiskTrouble(error)) refuse('UNAVAILABLE', undefined, 'The file could not be stored just now; try again shortly')
    throw error
  } finally {
    await removePart(path)
  }
}

type Read = { target: Target; size: number; checksum: string }

async function readUpload(core: Core, request: IncomingMessage, { game_uid }: Uploader, path: string): Promise<Read> {
  const fields: Fields = Object.create(null)
  let file: { filename: string; size: number; checksum: string } | undefined
  for await (const part of readForm(request, { max_bytes: uploadLimits.max_file_bytes + FORM_BYTES })) {
    if ('value' in part) fields[part.name] = part.value
    else if (part.name === 'file' && !file) {
      // Only to refuse early: a field may still come after the file.
      if (isComplete(fields)) await findTarget(core.sql, game_uid, fields, part.filename)
      file = { filename: part.filename, ...(await storePart(part, path)) }
    }
  }
  if (!file) refuse('FILE_MISSING', { field: 'file' }, 'Send the zip as the file part of the form')
  const target = await findTarget(core.sql, game_uid, fields, file.filename)
  return { target, size: file.size, checksum: file.checksum }
}

/** Puts a file of a form on the disk and says what it is. */
export async function storePart(
  { bytes }: FilePart,
  path: string,
  max_bytes: number = uploadLimits.max_file_bytes,
): Promise<{ size: number; checksum: string }> {
  const sink = await openSink(path)
  try {
    for await (const chunk of bytes) {
      const busy = sink.write(chunk)
      if (sink.written > max_bytes) refuse('UPLOAD_TOO_LARGE')
      if (busy) await busy
    }
    await sink.finish()
    return { size: sink.written, checksum: sink.hash.digest('hex') }
  } finally {
    await sink.close()
  }
}
