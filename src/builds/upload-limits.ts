import { GIB, HOUR, KIB, MIB, MINUTE } from '../core/runtime/units.ts'

/** The limits an uploader needs to know before it starts, in bytes, seconds and counts. */
export const uploadLimits = {
  max_file_bytes: 5 * GIB,
  chunk_bytes: 16 * MIB,
  single_request_bytes: 64 * MIB,
  open_sessions: 8,
  session_seconds: 6 * HOUR,
  uploads_per_hour: 60,
  chunks_per_hour: 5000,
  symbol_uploads_per_hour: 30,
} as const

/** The largest upload, as texts name it. */
export const MAX_FILE_SIZE = `${uploadLimits.max_file_bytes / GIB} GiB`

/** The time a request may take: five minutes plus a second per 512 KiB, at most three hours. */
export const requestSeconds = (bytes: number) =>
  Math.min(5 * MINUTE + Math.ceil(bytes / (512 * KIB)), 3 * HOUR)

export const symbolLimits = {
  max_upload_bytes: 1024 * MIB,
  max_file_bytes: 512 * MIB,
  max_unpacked_bytes: 2048 * MIB,
  max_files: 200,
  /** How many bytes of a symbol file are searched for the end of its first line. */
  max_line: 4096,
} as const
