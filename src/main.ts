import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { createSetupLink } from './accounts/setup/setup-links.ts'
import { connectionMistakes } from './core/database/connection-mistakes.ts'
import { DataLockError } from './core/database/embedded/data-lock.ts'
import { EmbeddedDatabaseError } from './core/database/embedded/program.ts'
import { MigrationError } from './core/database/migrate.ts'
import { ConfigError, processEnvironment, readConfig } from './core/runtime/config.ts'
import type { Core } from './core/runtime/core.ts'
import { SecretsError } from './core/security/secrets.ts'
import { InterruptedRestore } from './operator/backup/restore-progress.ts'
import { startService } from './service.ts'

// V8 learns from long-lived arrays of sockets to allocate the arrays of every request in the old
// generation, which only the slow collector cleans. Without that, a small request costs a tenth
// less and the pauses of the fast collector are half as long.
setFlagsFromString('--no-allocation-site-pretenuring')

const SHUTDOWN_SECONDS = 20

/** Error codes of configuration mistakes, and what to do about them. */
const mistakes: Record<string, string> = {
  EADDRINUSE:
    'This address is already in use: stop the other program, or set PORT (0 takes any free one)',
  EADDRNOTAVAIL: 'HOST is not an address of this machine',
  EACCES: 'Permission denied: check the owner of DATA_DIR, or PORT if it is below 1024',
  EROFS: 'DATA_DIR is on a read-only disk',
  ENOSPC: 'The disk of DATA_DIR is full: free some space',
  ENOTDIR: 'DATA_DIR is not a folder',
  EEXIST: 'DATA_DIR is not a folder',
  ENOENT: 'DATA_DIR cannot be created there',
  ...connectionMistakes,
}

/** A configuration mistake is explained in a sentence; any other error keeps its stack trace. */
function exitWith(error: unknown): never {
  const { code = '', message, stack } = error as NodeJS.ErrnoException
  const explained = [
    ConfigError,
    DataLockError,
    EmbeddedDatabaseError,
    InterruptedRestore,
    MigrationError,
    SecretsError,
  ].some((kind) => error instanceof kind)
  const mistake = mistakes[code] && `${mistakes[code]} (${message})`
  process.stderr.write(`${mistake ?? (explained ? message : (stack ?? error))}\n`)
  process.exit(1)
}

/** A store without an operator says how to get one. It serves in any case. */
async function setupLine(core: Core): Promise<string> {
  if (!core.config.roles.includes('web')) return ''
  try {
    const link = await createSetupLink(core)
    return link
      ? `To become the operator of this store, open ${link} (once, within 24 hours)\n`
      : ''
  } catch (error) {
    core.log.error({ err: error }, 'The set-up link could not be made')
    return ''
  }
}

try {
  const service = await startService(readConfig(processEnvironment()), { warm: true })
  const hurry = new AbortController()
  let stopping = false
  const stop = async (signal: string) => {
    // A second signal ends the draining.
    if (stopping) return hurry.abort()
    stopping = true
    service.core.log.info({ signal }, 'draining: waiting until no new requests arrive')
    await service.drain(hurry.signal)
    setTimeout(() => process.exit(1), SHUTDOWN_SECONDS * 1000).unref()
    service.core.log.info({ signal }, 'stopping')
    await service.stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(signal))
  // A process that is killed saves nothing, and each later start would compile everything again.
  flushCompileCache()
  // In one piece: a reader that closes the pipe after the first line must not cause an error.
  process.stdout.write(`ready ${service.url}\n${await setupLine(service.core)}`)
} catch (error) {
  exitWith(error)
}
