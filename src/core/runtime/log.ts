import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from './config.ts'
import { KIB } from './units.ts'

export type Log = Logger

/**
 * Fields of logged objects that may contain secrets: a second guard, since fields are hand-picked.
 */
const secretPaths = [
  'authorization',
  'cookie',
  'svc_games',
  'x-access-token',
  'x-secret-key',
  'password',
  'token',
  'secret',
  'secret_key',
  'access_token',
  'key',
  'ticket',
  'web_api_key',
  'auth_key',
  'signing_key',
]

/** Lines are written together: after this many characters or milliseconds, and at exit. */
const FLUSH_LENGTH = 32 * KIB
const FLUSH_MS = 250

// Standard output is for the `ready` line.
const errorOutput = pino.destination({ dest: 2, sync: false })
const lines = { pending: '', timer: undefined as NodeJS.Timeout | undefined }

/**
 * Collects lines for `errorOutput`. Its own buffer measures all that it holds with every line, and
 * with a write every 4 KiB it took a sixth of the time of a small request.
 */
const lineBuffer = {
  write(line: string) {
    lines.timer ??= setTimeout(flushLines, FLUSH_MS).unref()
    lines.pending += line
    if (lines.pending.length >= FLUSH_LENGTH) flushLines()
  },
  /** The logger calls it after a fatal line. */
  flushSync() {
    flushLines()
    errorOutput.flushSync()
  },
}

function flushLines() {
  clearTimeout(lines.timer)
  const text = lines.pending
  lines.timer = undefined
  lines.pending = ''
  if (text) errorOutput.write(text)
}

// `errorOutput` has listeners of its own for these, which write what it was given.
process.prependListener('beforeExit', flushLines)
process.prependListener('exit', flushLines)

export function createLog({ log_level }: Pick<Config, 'log_level'>): Log {
  return pino(
    {
      level: log_level,
      base: undefined,
      timestamp: stdTimeFunctions.isoTime,
      redact: {
        paths: secretPaths.flatMap((path) => [`["${path}"]`, `*["${path}"]`]),
        censor: '[hidden]',
      },
    },
    lineBuffer,
  )
}

/** Five parameters instead of an object, because it is called for every request. */
export type AccessLog = (
  id: string,
  method: string,
  route: string,
  status: number,
  milliseconds: number,
) => void

/** A line per request, formatted by hand for speed: its parts need no escaping or redaction. */
export function createAccessLog(log: Log): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  return (id, method, route, status, milliseconds) => {
    const time = isoTime(Date.now())
    const ms = Math.round(milliseconds)
    lineBuffer.write(
      `{"level":30,"time":"${time}","id":"${id}","method":"${method}",` +
        `"route":"${route}","status":${status},"ms":${ms},"msg":"request"}\n`,
    )
  }
}

let lastTime = { at: 0, text: '' }

/** Cached, because many lines share a millisecond. */
function isoTime(at: number): string {
  if (lastTime.at !== at) lastTime = { at, text: new Date(at).toISOString() }
  return lastTime.text
}
