import { ConfigError, processEnvironment, readConfig } from './core/config.ts'
import { DataLockError } from './core/data-lock.ts'
import { EmbeddedDatabaseError } from './core/embedded-postgres.ts'
import { MigrationError } from './core/migrate.ts'
import { startService } from './service.ts'

const SHUTDOWN_SECONDS = 20

/** A mistake of the operator's is told in a sentence; anything else is ours and keeps its trace. */
function giveUp(error: unknown): never {
  const { code, message, stack } = error as NodeJS.ErrnoException
  const explained = [ConfigError, DataLockError, EmbeddedDatabaseError, MigrationError].some((kind) => error instanceof kind)
  const taken = code === 'EADDRINUSE' && 'This address is already in use: stop what uses it, or set PORT (0 takes any free one)'
  process.stderr.write(`${taken || (explained ? message : (stack ?? error))}\n`)
  process.exit(1)
}

try {
  const service = await startService(readConfig(processEnvironment()))
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
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
