import { findObstacle } from '../../core/database/dump/load.ts'
import { checkLines, DamagedFile } from '../../core/database/dump/table-files.ts'
import { formatBytes } from '../../core/runtime/format-bytes.ts'
import { DamagedObject, hashObject, orDamaged } from '../../core/storage/verified.ts'
import { openKeys } from '../../operator/backup/sealed-keys.ts'
import {
  BackupError,
  filesOf,
  lockTarget,
  type Manifest,
  newBackupId,
  type ObjectEntry,
  objectKeyOf,
  presentObjects,
  readObjectList,
  removeLocked,
  type Target,
} from '../../operator/backup/target.ts'
import type { RunAlone } from '../command.ts'
import { inOrder } from './objects.ts'

const WORKERS = 4

export type Verification = Pick<RunAlone, 'progress' | 'signal'> & {
  target: Target
  manifest: Manifest
  /** Checks that objects are there with their size, and does not read them. */
  quick: boolean
  passphrase: string | undefined
}

export type Verified = {
  /** What is wrong with a backup, a sentence each. */
  problems: string[]
  /** The SHA-256 of objects that the target has, but not whole. */
  damaged: string[]
}

export async function verifyBackup(run: Verification): Promise<Verified> {
  const tables = await verifyTables(run)
  const { problems, damaged } = await verifyObjects(run)
  return { problems: [...tables, ...problems, ...(await verifyKeys(run))], damaged }
}

/** What is not wrong with a backup, but matters to who relies on it; a sentence each. */
export async function warnAbout({ manifest, passphrase }: Verification): Promise<string[]> {
  const obstacle = await findObstacle(manifest.database, `Slipway ${manifest.slipway}`)
  return [
    ...(obstacle ? [obstacle] : []),
    ...(manifest.keys && passphrase === undefined
      ? [
          'The keys were not opened. Set BACKUP_PASSPHRASE_FILE to check that the passphrase opens ' +
            'them.',
        ]
      : []),
  ]
}

/**
 * Removes damaged objects, which the next backup then copies again. Under the lock of a backup: one
 * that runs meanwhile would rely on them.
 */
export async function removeDamaged(target: Target, damaged: string[]): Promise<number> {
  if (!damaged.length) return 0
  const lock = await lockTarget(target, newBackupId(new Date()))
  try {
    await removeLocked(target, lock, damaged.map(objectKeyOf))
  } finally {
    await lock.release()
  }
  return damaged.length
}

async function verifyTables({ target, manifest, progress, signal }: Verification) {
  const problems: string[] = []
  const files = filesOf(target, manifest.id)
  const { tables } = manifest.database
  for (const [index, table] of tables.entries()) {
    progress(`table ${index + 1} of ${tables.length}: ${table.name}`)
    await checkLines(files, table, signal).catch(collect(problems, signal))
  }
  return problems
}

/** A part of the backup that cannot be read is a problem of it, unless the target is gone. */
const collect = (problems: string[], signal: AbortSignal) => (error: Error) => {
  signal.throwIfAborted()
  if (!(error instanceof DamagedFile) && !(error instanceof BackupError)) throw error
  problems.push(error.message)
}

async function verifyObjects({
  target,
  manifest,
  quick,
  progress,
  signal,
}: Verification): Promise<Verified> {
  const problems: string[] = []
  const damaged = new Set<string>()
  const present = await presentObjects(target)
  const verified = new Map<string, boolean>()
  let count = 0
  let bytes = 0
  const check = async ({ key, size, sha256 }: ObjectEntry): Promise<string | undefined> => {
    signal.throwIfAborted()
    if (!present.has(sha256)) return `The object ${key} is missing (${objectKeyOf(sha256)})`
    if (present.get(sha256) === size && (await isWhole(sha256))) return undefined
    damaged.add(sha256)
    return `The object ${key} is damaged (${objectKeyOf(sha256)})`
  }
  const isWhole = async (sha256: string) => {
    if (quick) return true
    const known = verified.get(sha256)
    if (known !== undefined) return known
    const key = objectKeyOf(sha256)
    const read = () => hashObject(target.storage, key, signal)
    const hash = await orDamaged(target.storage, key, signal, read).catch((error) => {
      if (error instanceof DamagedObject) return undefined
      throw error
    })
    verified.set(sha256, hash?.sha256 === sha256)
    return hash?.sha256 === sha256
  }
  async function* entries() {
    for await (const entry of readObjectList(target, manifest.id, manifest.objects.list)) {
      count++
      bytes += entry.size
      progress(`${count} objects, ${formatBytes(bytes)}`)
      yield entry
    }
  }
  try {
    for await (const problem of inOrder(entries(), WORKERS, check))
      if (problem) problems.push(problem)
  } catch (error) {
    collect(problems, signal)(error as Error)
  }
  return { problems, damaged: [...damaged] }
}

async function verifyKeys({ manifest: { keys }, passphrase }: Verification): Promise<string[]> {
  if (!keys || passphrase === undefined) return []
  return openKeys(keys, passphrase).then(
    () => [],
    (error) => [error.message],
  )
}
