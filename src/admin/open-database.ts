import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findConnectionMistake } from '../core/database/connection-mistakes.ts'
import { isDataFolderLocked, startOwnDatabase } from '../core/database/embedded/data-lock.ts'
import { runningEmbeddedUrl } from '../core/database/embedded/postgres.ts'
import type { Config } from '../core/runtime/config.ts'
import { KEY_FILE } from '../core/security/secrets.ts'
import { refuseInterruptedRestore } from '../operator/backup/restore-progress.ts'
import { AdminError } from './command.ts'

/**
 * The database of the service: that of DATABASE_URL, the embedded one of a running service, or else
 * the embedded one, which is started. What stops it is added to `stops`.
 */
export async function openDatabase(
  { data_dir, database_url }: Config,
  stops: (() => unknown)[],
): Promise<{ url: string; is_running: boolean }> {
  const mistake = database_url && (await findConnectionMistake(database_url))
  if (mistake) throw new AdminError(mistake)
  const running_url =
    database_url ?? (isDataFolderLocked(data_dir) ? runningEmbeddedUrl(data_dir) : undefined)
  const reportWait = (message: string) => void process.stderr.write(`${message}\n`)
  const url = running_url ?? (await startOwnDatabase(data_dir, stops, reportWait))
  return { url, is_running: running_url !== undefined }
}

/** A command must not create an empty service where the path of an existing one was mistyped. */
export function requireDataFolder(config: Config) {
  requireFolderOf(config, config.secrets_key ? [] : [KEY_FILE])
}

/** The same for a service that has lost its key. */
export function requireFolderOf({ data_dir, database_url, s3_url }: Config, files: string[] = []) {
  refuseInterruptedRestore(data_dir)
  if (database_url && s3_url && !files.length) return
  const fail = (problem: string): never => {
    throw new AdminError(
      `${problem}. Set DATA_DIR to the data folder of the service, or start the service once to ` +
        'create it.',
    )
  }
  if (!existsSync(data_dir)) fail(`There is no folder ${data_dir}`)
  if (!statSync(data_dir).isDirectory()) fail(`${data_dir} is not a folder`)
  const needed = [...(database_url ? [] : ['postgres']), ...files]
  const missing = needed.find((name) => !existsSync(join(data_dir, name)))
  if (missing) fail(`${data_dir} is not the data folder of a service: it has no ${missing}`)
}
