import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from './config.ts'

export type Log = Logger

/** Where a secret could ride in a logged object. Requests are logged by hand-picked fields, so this is the second fence. */
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

// Standard output belongs to the `ready` line; lines are gathered and written together, and flushed at exit.
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

export type AccessLog = (
  id: string,
  method: string,
  route: string,
  status: number,
  milliseconds: number,
) => void

/** A line for each request, put together by hand: it is on every hot path, and its parts need no escaping or redaction. */
export function createAccessLog(log: Log): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  return (id, method, route, status, milliseconds) => {
    const time = isoTime(Date.now())
    errorOutput.write(
      `{"level":30,"time":"${time}","id":"${id}","method":"${method}","route":"${route}","status":${status},"ms":${Math.round(milliseconds)},"msg":"request"}\n`,
    )
  }
}

let written = { at: 0, text: '' }

/** Thousands of lines share a millisecond. */
function isoTime(at: number): string {
  if (written.at !== at) written = { at, text: new Date(at).toISOString() }
  return written.text
}
