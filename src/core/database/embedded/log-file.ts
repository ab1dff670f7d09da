import { copyFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs'

const MAX_BYTES = 10 * 1024 ** 2
const CHECK_MS = 60 * 60 * 1000

/**
 * Keeps at most one earlier log file of a server that appends to it, so that it cannot fill the
 * disk. The server keeps the file open, so the file is copied and emptied, not renamed.
 */
export function rotateLog(path: string) {
  if (!existsSync(path) || statSync(path).size <= MAX_BYTES) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}

/** Rotates the file now and then. Returns a function that ends this. */
export function keepLogSmall(path: string, check_ms = CHECK_MS): () => void {
  const timer = setInterval(() => {
    try {
      rotateLog(path)
    } catch {
      // A full disk: the log stays as it is until the next time.
    }
  }, check_ms).unref()
  return () => clearInterval(timer)
}

export const lastLines = (path: string, count: number): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count) : []
