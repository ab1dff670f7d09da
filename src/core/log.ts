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
  'code',
  'ticket',
  'web_api_key',
  'auth_key',
  'signing_key',
]

export function createLog({ log_level }: Pick<Config, 'log_level'>, destination: string | number = 2): Log {
  return pino(
    {
      level: log_level,
      base: undefined,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: secretPaths.flatMap((path) => [`["${path}"]`, `*["${path}"]`]), censor: '[hidden]' },
    },
    // Standard output belongs to the `ready` line; lines are gathered and written together, and flushed at exit.
    pino.destination({ dest: destination, sync: false, minLength: 4096, periodicFlush: 250 }),
  )
}
