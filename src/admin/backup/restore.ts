import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidateSnapshots, readCatalogId } from '../../catalog/search/feed/rebuild-queries.ts'
import { findAnyTable, isRestoring } from '../../core/database/dump/catalog.ts'
import {
  checkEmptyDatabase,
  checkLoadable,
  loadDatabase,
  whileOnlyRestore,
} from '../../core/database/dump/load.ts'
import { migrate } from '../../core/database/migrate.ts'
import { openPool } from '../../core/database/sql.ts'
import type { Config } from '../../core/runtime/config.ts'
import { openStorage } from '../../core/runtime/core.ts'
import { formatBytes } from '../../core/runtime/format-bytes.ts'
import { createLog } from '../../core/runtime/log.ts'
import { KEY_FILE } from '../../core/security/secrets.ts'
import { makeFolder, replaceFile } from '../../core/storage/durable-files.ts'
import type { Storage } from '../../core/storage/storage.ts'
import {
  endRestoreProgress,
  readRestoreProgress,
  refuseInterruptedRestore,
  saveRestoreProgress,
} from '../../operator/backup/restore-progress.ts'
import { openKeys } from '../../operator/backup/sealed-keys.ts'
import {
  copyBack,
  filesOf,
  type Manifest,
  type ObjectEntry,
  readObjectList,
  type Target,
} from '../../operator/backup/target.ts'
import { AdminError, type RunAlone } from '../command.ts'
import { inOrder } from './objects.ts'

const WORKERS = 4
const log = createLog({ log_level: 'warn' })

export type Restore = Pick<RunAlone, 'config' | 'progress' | 'signal'> & {
  database_url: string
  target: Target
  manifest: Manifest
  passphrase: string | undefined
  /** Leaves the object store and the keys as they are. */
  database_only: boolean
}
export type Restored = {
  objects: number
  bytes: number
  /** Objects that the backup does not have, or not whole. */
  damaged: string[]
  keys: 'restored' | 'present' | 'missing' | 'left alone'
}

/**
 * Fills an empty service: the keys, then objects, then the database in one transaction. Only then
 * is there anything that a service would use, so an interrupted restore is simply repeated.
 */
export const restoreBackup = (restore: Restore): Promise<Restored> =>
  whileOnlyRestore(restore.database_url, () => restoreAlone(restore))

async function restoreAlone(restore: Restore): Promise<Restored> {
  const { config, database_url, manifest } = restore
  await checkLoadable(manifest.database, `Slipway ${manifest.slipway}`)
  if (restore.database_only) {
    refuseInterruptedRestore(config.data_dir)
    await checkEmptyDatabase(database_url)
    await loadTables(restore)
    return nothing()
  }
  const is_loaded = await wasLoaded(restore)
  if (!is_loaded) await checkEmptyDatabase(database_url)
  const restored = await restoreFiles(restore)
  if (is_loaded) await migrate(database_url, log)
  else
    await loadTables(restore, (catalog) =>
      saveRestoreProgress(config.data_dir, { id: manifest.id, catalog }),
    )
  await endRestoreProgress(config.data_dir)
  return restored
}

/** Whether an interrupted restore of this backup has committed the rows of the database. */
async function wasLoaded({ config, database_url, manifest }: Restore): Promise<boolean> {
  const progress = readRestoreProgress(config.data_dir)
  if (progress?.id !== manifest.id || !progress.catalog) return false
  const sql = openPool(database_url, 1, 'slipway restore')
  try {
    return (
      (await findAnyTable(sql)) !== undefined &&
      !(await isRestoring(sql)) &&
      (await readCatalogId(sql)) === progress.catalog
    )
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Search indexes of another copy of the database must not be used, so its identity changes. */
const loadTables = (
  { database_url, target, manifest, progress, signal }: Restore,
  onCatalog?: (id: string) => Promise<void>,
) =>
  loadDatabase(database_url, manifest.database, {
    files: filesOf(target, manifest.id),
    log,
    signal,
    onTable: ({ name }, done, total) => progress(`database: ${name}, table ${done} of ${total}`),
    async beforeCommit(tx) {
      const id = await invalidateSnapshots(tx)
      await onCatalog?.(id)
    },
  })

const nothing = (): Restored => ({ objects: 0, bytes: 0, damaged: [], keys: 'left alone' })

async function restoreFiles(restore: Restore): Promise<Restored> {
  const { config, manifest } = restore
  const storage = await openStorage(config)
  await makeFolder(config.data_dir)
  await beginRestore(storage, config, manifest.id)
  const keys = await restoreKeys(config, await readSealedKeys(restore))
  return { ...(await restoreObjects(storage, restore)), keys }
}

/** Refuses a store with objects, unless they are those of an interrupted restore of this backup. */
async function beginRestore(storage: Storage, { data_dir }: Config, id: string): Promise<void> {
  const begun = readRestoreProgress(data_dir)?.id
  if (begun === id) return
  for await (const { key } of storage.list('')) {
    if (key === 'probe') continue
    throw new AdminError(
      begun
        ? `A restore of the backup ${begun} was interrupted. Name that backup to continue it, or ` +
            'start again with an empty object store.'
        : `The object store is not empty: it has ${key}. Restore into an empty DATA_DIR or bucket.`,
    )
  }
  await saveRestoreProgress(data_dir, { id })
}

async function restoreObjects(
  storage: Storage,
  { target, manifest, progress, signal }: Restore,
): Promise<{ objects: number; bytes: number; damaged: string[] }> {
  const result = { objects: 0, bytes: 0, damaged: [] as string[] }
  const { list } = manifest.objects
  const entries = readObjectList(target, manifest.id, list)
  const restoreObject = async ({ key, size, sha256 }: ObjectEntry) => {
    signal.throwIfAborted()
    const existing = await storage.stat(key)
    if (
      existing?.size !== size &&
      !(await copyBack(target, storage, { key, size, sha256 }, signal))
    )
      return void result.damaged.push(key)
    result.objects++
    result.bytes += size
    progress(`${result.objects} of ${list.rows} objects, ${formatBytes(result.bytes)}`)
  }
  for await (const _ of inOrder(entries, WORKERS, restoreObject));
  result.damaged.sort()
  return result
}

/** The text of the key file, if the backup has it and no key is set in another way. */
async function readSealedKeys({ config, manifest, passphrase }: Restore) {
  if (config.secrets_key || !manifest.keys) return undefined
  if (passphrase === undefined)
    throw new AdminError(
      'The keys in the backup are encrypted. Set BACKUP_PASSPHRASE_FILE to a file with the ' +
        'passphrase that the backup was made with, or SECRETS_KEY to the keys.',
    )
  return openKeys(manifest.keys, passphrase)
}

async function restoreKeys({ data_dir, secrets_key }: Config, text: string | undefined) {
  if (secrets_key) return 'present' as const
  const path = join(data_dir, KEY_FILE)
  const existing = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  if (text === undefined)
    return existing === undefined ? ('missing' as const) : ('present' as const)
  if (existing !== undefined && existing.trim() !== text.trim())
    throw new AdminError(
      `${path} has other keys than the backup. Move it away, then run the restore again.`,
    )
  if (existing === undefined) {
    await makeFolder(data_dir)
    // Of a restore that was killed just here.
    await rm(`${path}.new`, { force: true })
    await replaceFile(path, `${path}.new`, (handle) => handle.writeFile(text))
  }
  return 'restored' as const
}
