const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB
const HOUR = 3600

/** What an uploader must know before it starts; bytes, seconds and counts. */
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

/** How long a request of so many bytes may take: five minutes and a second per 512 KiB, three hours at most. */
export const requestSeconds = (bytes: number) =>
  Math.min(5 * 60 + Math.ceil(bytes / (512 * KIB)), 3 * HOUR)
