import { uploadLimits } from '../../builds/upload-limits.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { refuseTooLarge } from './size-limit.ts'

export type Chunk = { session_uid: string; start: number; length: number; total: number }
type Headers = Record<string, string | string[] | undefined>

const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i

/** Whether a request sends a chunk rather than a whole file. */
export const isChunk = (headers: Headers) =>
  headers['x-upload-session-id'] !== undefined || headers['content-range'] !== undefined

export function readChunkHeaders(headers: Headers): Chunk {
  const session_uid = String(headers['x-upload-session-id'] ?? '').trim()
  if (!isUuid(session_uid))
    refuse('INVALID_CHUNK', undefined, 'Send the session in X-Upload-Session-ID')
  const match = CONTENT_RANGE.exec(String(headers['content-range'] ?? '').trim())
  const [start = 0, end = -1, total = 0] = (match ?? []).slice(1).map(Number)
  if (end < start || end >= total)
    refuse('INVALID_CHUNK', undefined, 'Send Content-Range as bytes <first>-<last>/<total size>')
  return { session_uid, start, length: end - start + 1, total }
}

/** Reads the size that a session is opened for. */
export function readTotalSize(text: string | undefined): number {
  const size = /^\d{1,15}$/.test(text?.trim() ?? '') ? Number(text) : 0
  if (size === 0)
    refuse('FILE_MISSING', { field: 'total_size' }, 'total_size: send the size of the zip in bytes')
  if (size > uploadLimits.max_file_bytes) refuseTooLarge(uploadLimits.max_file_bytes)
  return size
}
