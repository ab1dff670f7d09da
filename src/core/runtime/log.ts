import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from './config.ts'

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

// Standard output is for the `ready` line. Log lines are buffered, and flushed at exit.
const errorOutput = pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 250 })

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
    errorOutput,
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
    errorOutput.write(
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
