import { uploadLimits } from '../../builds/limits.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'

export type Chunk = { session_uid: string; start: number; length: number; total: number }
type Headers = Record<string, string | string[] | undefined>

const RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i

/** Whether a request brings a chunk rather than a whole file. */
export const isChunk = (headers: Headers) =>
  headers['x-upload-session-id'] !== undefined || headers['content-range'] !== undefined

export function readChunkHeaders(headers: Headers): Chunk {
  const session_uid = String(headers['x-upload-session-id'] ?? '').trim()
  if (!isUuid(session_uid))
    refuse('INVALID_CHUNK', undefined, 'Send the session in X-Upload-Session-ID')
  const [, start, end, total] = (
    RANGE.exec(String(headers['content-range'] ?? '').trim()) ?? []
  ).map(Number)
  if (
    start === undefined ||
    end === undefined ||
    total === undefined ||
    end < start ||
    end >= total
  )
    refuse('INVALID_CHUNK', undefined, 'Send Content-Range as bytes <first>-<last>/<total size>')
  return { session_uid, start, length: end - start + 1, total }
}

/** The size a session is opened for. */
export function readTotalSize(text: string | undefined): number {
  const size = /^\d{1,15}$/.test(text?.trim() ?? '') ? Number(text) : 0
  if (size === 0)
    refuse('FILE_MISSING', { field: 'total_size' }, 'total_size: send the size of the zip in bytes')
  if (size > uploadLimits.max_file_bytes) refuse('UPLOAD_TOO_LARGE')
  return size
}
