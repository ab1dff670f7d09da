import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dumpDatabase } from '../../core/database/dump/dump.ts'
import {
  type FileStore,
  type LineFile,
  recordLines,
  writeLines,
} from '../../core/database/dump/table-files.ts'
import { openPool } from '../../core/database/sql.ts'
import type { Config } from '../../core/runtime/config.ts'
import { openStorage } from '../../core/runtime/core.ts'
import { formatBytes } from '../../core/runtime/format-bytes.ts'
import { version } from '../../core/runtime/version.ts'
import { KEY_FILE } from '../../core/security/secrets.ts'
import { recordBackup } from '../../operator/backup/queries.ts'
import { sealKeys } from '../../operator/backup/sealed-keys.ts'
import {
  BackupError,
  completeBackups,
  filesOf,
  listBackups,
  lockTarget,
  type Manifest,
  newBackupId,
  type ObjectEntry,
  presentObjects,
  readManifest,
  readObjectList,
  removeBackup,
  settleObjects,
  type Target,
  writeManifest,
} from '../../operator/backup/target.ts'
import type { RunAlone } from '../command.ts'
import { isDamagedBackup, type Removal, removeOld } from './keep.ts'
import { findMissing, keepLost } from './missing.ts'
import { backUpObjects, type Copied, type ObjectBackup } from './objects.ts'

export type BackupRequest = Pick<RunAlone, 'config' | 'progress' | 'signal'> & {
  database_url: string
  target: Target
  /** Undefined: the keys are left out. */
  passphrase: string | undefined
  /** How many backups to keep; undefined: all of them. */
  keep: number | undefined
}

export type BackupResult = Removal & {
  manifest: Manifest
  copied: Copied
  /** The keys of objects that the store lacks. */
  missing: string[]
  /** Those of them that are in the backup, from an earlier one. */
  kept: string[]
}

const FIRST_LIST = 'objects-first.zst'
const LIST = 'objects.zst'

/**
 * Objects, then the database, then the objects that came meanwhile. The list keeps objects that
 * were removed between the two passes, so every object that the database refers to is in it.
 */
export async function makeBackup(request: BackupRequest): Promise<BackupResult> {
  const { config, database_url, target, progress, signal } = request
  const started_at = new Date()
  const id = newBackupId(started_at, (await listBackups(target)).keys())
  const lock = await lockTarget(target, id)
  const sql = openPool(database_url, 2, 'slipway backup')
  try {
    // First, so that backups that fail on a full disk do not fill it further.
    await removeInterrupted(target)
    const files = filesOf(target, id)
    const copied: Copied = { copied: 0, copied_bytes: 0, damaged: [] }
    const present = await presentObjects(target)
    await settleObjects(target, present)
    const shared = {
      from: await openStorage(config),
      to: target.storage,
      sql,
      present,
      counts: copied,
      progress,
      signal,
    }
    const lost = new Set<string>()
    const first = await backUpList(files, FIRST_LIST, {
      ...shared,
      previous: latestEntries(target, signal),
      async keepGone(gone) {
        const kept = await keepLost(sql, present, gone)
        for (const { key } of kept) lost.add(key)
        return kept
      },
    })
    const keys_before = readKeys(config)
    const database = await dumpDatabase(database_url, {
      files,
      signal,
      onTable: ({ name }, done, total) => progress(`database: ${name}, table ${done} of ${total}`),
    })
    await lock.check()
    const listed = new Map<string, number>()
    const objects = await backUpList(files, LIST, {
      ...shared,
      previous: readObjectList(target, id, first.list),
      keepGone: async (gone) => gone,
      listed,
    })
    const unlisted = await findMissing({ sql, from: shared.from, listed, signal })
    copied.damaged.push(...unlisted.truncated)
    await target.storage.remove(`backups/${id}/${FIRST_LIST}`)
    const keys =
      request.passphrase === undefined
        ? null
        : await sealKeys(joinKeys(keys_before, readKeys(config)), request.passphrase)
    const damaged = [...new Set(copied.damaged)].sort()
    const missing = [...lost, ...unlisted.missing].sort()
    const manifest: Manifest = {
      format: 1,
      id,
      slipway: version,
      started_at: started_at.toISOString(),
      finished_at: new Date().toISOString(),
      database,
      objects: { ...objects, damaged, missing: missing.length },
      keys,
    }
    signal.throwIfAborted()
    await lock.check()
    await writeManifest(target, manifest)
    await recordBackup(sql, {
      id,
      target: target.name,
      started_at,
      objects: objects.list.rows,
      bytes: objects.bytes,
      damaged: damaged.length + missing.length,
    })
    const lacking = new Set([
      ...unlisted.missing,
      ...unlisted.truncated,
      ...damaged.filter((key) => !listed.has(key)),
    ])
    const removal = await removeOld({ target, lock, own_id: id, keep: request.keep, lacking })
    return { manifest, copied: { ...copied, damaged }, missing, kept: [...lost], ...removal }
  } catch (error) {
    throw isFull(error)
      ? new BackupError(
          `${target.name} is full. Make space there, or remove old backups with a smaller --keep ` +
            'once there is space for one more, then run this again: it continues.',
        )
      : error
  } finally {
    await sql.end({ timeout: 5 })
    await lock.release()
  }
}

const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes((error as { code?: string }).code!)

type ListRun = Omit<ObjectBackup, 'onEntry'> & {
  progress: (text: string) => void
  /** Gets the sizes of the objects in the list, by their keys. */
  listed?: Map<string, number>
}

async function backUpList(
  files: FileStore,
  name: string,
  { progress, listed, ...backup }: ListRun,
): Promise<{ list: LineFile; bytes: number }> {
  let count = 0
  let bytes = 0
  const onEntry = ({ key, size }: ObjectEntry) => {
    // A copy: the key of a bucket is a part of the text of a whole page, which would stay.
    listed?.set(Buffer.from(key).toString('latin1'), size)
    count++
    bytes += size
    const { copied, copied_bytes } = backup.counts
    progress(
      `${count} objects, ${formatBytes(bytes)}; copied ${copied}, ${formatBytes(copied_bytes)}`,
    )
  }
  const entries = backUpObjects({ ...backup, onEntry })
  const list = await writeLines(files, name, recordLines(entries), backup.signal)
  return { list, bytes }
}

/**
 * The list of the newest backup, which only saves work. It is checked first: a damaged one may name
 * hashes that the objects do not have.
 */
async function* latestEntries(target: Target, signal: AbortSignal): AsyncGenerator<ObjectEntry> {
  const id = (await completeBackups(target)).at(-1)
  if (!id) return
  try {
    const { objects } = await readManifest(target, id)
    for await (const _ of readObjectList(target, id, objects.list)) signal.throwIfAborted()
    yield* readObjectList(target, id, objects.list)
  } catch (error) {
    if (!isDamagedBackup(error)) throw error
  }
}

export const readKeys = ({ secrets_key, data_dir }: Pick<Config, 'secrets_key' | 'data_dir'>) =>
  secrets_key ?? readFileSync(join(data_dir, KEY_FILE), 'utf8')

/** The current keys, and those that were removed while the database was read. */
function joinKeys(before: string, after: string): string {
  const entriesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)
  const current = entriesOf(after)
  const removed = entriesOf(before).filter((entry) => !current.includes(entry))
  return removed.length ? `${[...current, ...removed].join('\n')}\n` : after
}

/** Removes the files of interrupted backups. Their objects stay for the next one. */
async function removeInterrupted(target: Target): Promise<void> {
  for (const [id, is_complete] of await listBackups(target))
    if (!is_complete) await removeBackup(target, id)
}
