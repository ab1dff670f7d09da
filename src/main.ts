import { setFlagsFromString } from 'node:v8'
import { DataLockError } from './core/database/data-lock.ts'
import { EmbeddedDatabaseError } from './core/database/embedded-postgres.ts'
import { MigrationError } from './core/database/migrate.ts'
import { ConfigError, processEnvironment, readConfig } from './core/runtime/config.ts'
import { SecretsError } from './core/security/secrets.ts'
import { startService } from './service.ts'

// The engine learns which arrays live long, from those of sockets, and puts each request's there as well, with all that hangs on them: only its slowest
// collector finds them dead. Without that lesson a small request costs a tenth less, and the pauses of the quick collector are half as long.
setFlagsFromString('--no-allocation-site-pretenuring')

const SHUTDOWN_SECONDS = 20

/** What the system and the database call an operator's mistake, and what to do about it. */
const mistakes: Record<string, string> = {
  EADDRINUSE:
    'This address is already in use: stop what uses it, or set PORT (0 takes any free one)',
  EADDRNOTAVAIL: 'HOST is not an address of this machine',
  EACCES: 'This user may not write there: check DATA_DIR (or PORT, below 1024) and who owns it',
  EROFS: 'DATA_DIR is on a disk that cannot be written to',
  ENOTDIR: 'DATA_DIR is not a folder',
  EEXIST: 'DATA_DIR is not a folder',
  ENOENT: 'DATA_DIR cannot be made there',
  ENOTFOUND: 'The host of DATABASE_URL is not known',
  ECONNREFUSED: 'Nothing answers at DATABASE_URL: is the database running?',
  CONNECT_TIMEOUT: 'Nothing answers at DATABASE_URL: is the database running?',
  CONNECTION_CLOSED: 'What answers at DATABASE_URL is no PostgreSQL, or it closed the connection',
  '28P01': 'The database refused the password in DATABASE_URL',
  '28000': 'The database refused the user in DATABASE_URL',
  '3D000': 'The database named in DATABASE_URL does not exist: create it first',
}

/** A mistake of the operator's is told in a sentence; anything else is ours and keeps its trace. */
function giveUp(error: unknown): never {
  const { code = '', message, stack } = error as NodeJS.ErrnoException
  const explained = [
    ConfigError,
    DataLockError,
    EmbeddedDatabaseError,
    MigrationError,
    SecretsError,
  ].some((kind) => error instanceof kind)
  const mistake = mistakes[code] && `${mistakes[code]} (${message})`
  process.stderr.write(`${mistake ?? (explained ? message : (stack ?? error))}\n`)
  process.exit(1)
}

try {
  const service = await startService(readConfig(processEnvironment()), { warm: true })
  const hurry = new AbortController()
  let stopping = false
  const stop = async (signal: string) => {
    // Told twice, it waits for nobody.
    if (stopping) return hurry.abort()
    stopping = true
    service.core.log.info({ signal }, 'leaving')
    await service.drain(hurry.signal)
    setTimeout(() => process.exit(1), SHUTDOWN_SECONDS * 1000).unref()
    service.core.log.info({ signal }, 'stopping')
    await service.stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(signal))
  process.stdout.write(`ready ${service.url}\n`)
} catch (error) {
  giveUp(error)
}
