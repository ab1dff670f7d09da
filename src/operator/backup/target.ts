import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { DumpManifest } from '../../core/database/dump/dump.ts'
import {
  DamagedFile,
  type FileStore,
  type LineFile,
  readRecords,
} from '../../core/database/dump/table-files.ts'
import type { Config } from '../../core/runtime/config.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/runtime/units.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { createLocalStorage } from '../../core/storage/local.ts'
import { createS3Storage } from '../../core/storage/s3.ts'
import type { Storage, StoredObject } from '../../core/storage/storage.ts'
import { DamagedObject, openForCheck, orDamaged, verified } from '../../core/storage/verified.ts'
import type { SealedKeys } from './sealed-keys.ts'

/**
 * What a target contains:
 *
 *     objects/ab/abcd…                     the objects of all backups, named by their SHA-256
 *     backups/20261117-153000-1a2b3c/…     the tables, the list of objects, the manifest
 *     locks/20261117-153000-1a2b3c         a backup that is being made
 *
 * The manifest is written last: without one, a backup was interrupted and is never used.
 */
const BACKUPS = 'backups/'
const LOCKS = 'locks/'
const OBJECTS = 'objects/'
const MANIFEST = 'manifest.json'
const BACKUP_ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/
const HEARTBEAT_MS = 30 * SECOND_MS
/** A backup that has not renewed its lock for this long was interrupted. */
const LOCK_MS = 5 * MINUTE_MS

/** How often a lock is checked while files are removed. */
const CHECK_MS = MINUTE_MS
/** How many seconds a second backup has to give way. */
const GIVE_WAY_TRIES = 20

/** A target, or a backup in it, that cannot be used; the message says what to do. */
export class BackupError extends Error {}

export type ObjectEntry = { key: string; size: number; sha256: string }
export type Manifest = {
  format: 1
  id: string
  slipway: string
  started_at: string
  finished_at: string
  database: DumpManifest
  /** `missing` is how many the store lacked; older manifests do not have it. */
  objects: { list: LineFile; bytes: number; damaged: string[]; missing?: number }
  keys: SealedKeys | null
}

export type Target = {
  storage: Storage
  /** Without credentials. */
  name: string
}

export const objectKeyOf = (sha256: string) => `${OBJECTS}${sha256.slice(0, 2)}/${sha256}`

const isBucket = (text: string) => /^(https?|s3):\/\//.test(text)

/** `create`: the folder may not exist yet, and is written to. */
export type TargetUse = 'read' | 'change' | 'create'

/** Opens a folder or a bucket. */
export async function openTarget(
  text: string,
  config: Pick<Config, 'data_dir' | 's3_url'>,
  use: TargetUse = 'read',
): Promise<Target> {
  if (isBucket(text)) return openBucket(text.replace(/^s3:/, 'https:'), config)
  const folder = resolve(text)
  if (isInside(folder, config.data_dir))
    throw new BackupError(
      `${folder} is inside of DATA_DIR and would be lost with it. Choose another folder, best on ` +
        'another disk.',
    )
  if (use !== 'create' && !existsSync(join(folder, 'backups')))
    throw new BackupError(`There is no backup in ${folder}`)
  // The disk of a backup that is restored may be mounted read-only.
  const storage = await createLocalStorage(folder, { read_only: use === 'read' })
  return { storage, name: folder }
}

/** Whether a folder is, or would be, in another one; links do not hide that. */
function isInside(folder: string, parent: string): boolean {
  const within = relative(realPath(parent), realPath(folder))
  return within !== '..' && !within.startsWith(`..${sep}`) && !isAbsolute(within)
}

/** The path without links, also of a folder that does not exist yet. */
function realPath(path: string): string {
  const full = resolve(path)
  if (existsSync(full) || full === dirname(full)) return realpathSync(full)
  return join(realPath(dirname(full)), basename(full))
}

async function openBucket(url: string, { s3_url }: Pick<Config, 's3_url'>): Promise<Target> {
  const place = placeOf(url)
  if (!place)
    throw new BackupError(
      'The bucket must be an address such as https://KEY:SECRET@objects.example/bucket',
    )
  if (s3_url && placeOf(s3_url) === place)
    throw new BackupError('The bucket for backups must not be the one of S3_URL')
  return { storage: await createS3Storage(url), name: place }
}

/** The address of a bucket without credentials. */
function placeOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { username, password, origin, pathname } = new URL(url)
  const is_bucket = username && password && /^\/[^/]+\/?$/.test(pathname)
  return is_bucket ? origin + pathname.replace(/\/$/, '') : undefined
}

/**
 * Ids sort in the order in which backups are made, also after a clock was set back: a restore
 * chooses the last one.
 */
export function newBackupId(now: Date, ids: Iterable<string> = []): string {
  const last = [...ids].sort().at(-1)
  const after_last = last ? timeOf(last) + SECOND_MS : 0
  const digits = new Date(Math.max(now.getTime(), after_last)).toISOString().replace(/\D/g, '')
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${randomBytes(3).toString('hex')}`
}

/** The time in the id of a backup. */
function timeOf(id: string): number {
  const [year, month, day, hour, minute, second] = id
    .match(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/)!
    .slice(1)
    .map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute, second)
}

/** The files of one backup. */
export const filesOf = ({ storage }: Target, id: string): FileStore => ({
  write: (name, source) => storage.put(`${BACKUPS}${id}/${name}`, source, { checked: true }),
  async read(name) {
    const object = await storage.get(`${BACKUPS}${id}/${name}`)
    if (!object) throw new BackupError(`The backup ${id} lacks its file ${name}`)
    return object.stream
  },
})

/**
 * The entries of a list of objects. The list is read whole before the first one: what is done for
 * each may take hours, and stores end a connection that waits.
 */
export async function* readObjectList(
  target: Target,
  id: string,
  list: LineFile,
): AsyncGenerator<ObjectEntry> {
  const bytes = await readWhole(target, id, list.file)
  if (!bytes) throw new DamagedFile(`The file ${list.file} of the backup is damaged`)
  const files = { ...filesOf(target, id), read: async () => Readable.from([bytes]) }
  yield* readRecords<ObjectEntry>(files, list)
}

/** The bytes of a file of a backup; undefined if they cannot be read. */
async function readWhole(
  { storage }: Target,
  id: string,
  name: string,
): Promise<Buffer | undefined> {
  const key = `${BACKUPS}${id}/${name}`
  const { signal } = new AbortController()
  const read = async () => {
    const object = await openForCheck(storage, key)
    if (!object) throw new BackupError(`The backup ${id} lacks its file ${name}`)
    return buffer(verified(object, undefined, signal))
  }
  return orDamaged(storage, key, signal, read).catch((error) => {
    if (error instanceof DamagedObject) return undefined
    throw error
  })
}

const digestOf = (manifest: Manifest) => sha256(JSON.stringify(manifest)).toString('hex')

/** A manifest with the SHA-256 of its text; those of older versions have none. */
type CheckedManifest = Manifest & { sha256?: string }

export function writeManifest({ storage }: Target, manifest: Manifest) {
  const checked: CheckedManifest = { ...manifest, sha256: digestOf(manifest) }
  const text = Buffer.from(JSON.stringify(checked))
  return storage.put(`${BACKUPS}${manifest.id}/${MANIFEST}`, text, { checked: true })
}

/** Undefined if the text is not the one that was written. */
function parseManifest(text: string): Manifest | undefined {
  try {
    const { sha256: expected, ...manifest }: CheckedManifest = JSON.parse(text)
    return expected === undefined || expected === digestOf(manifest) ? manifest : undefined
  } catch {
    return undefined
  }
}

export async function readManifest(target: Target, id: string): Promise<Manifest> {
  const { storage } = target
  if (!(await storage.stat(`${BACKUPS}${id}/${MANIFEST}`)))
    throw new BackupError(`There is no complete backup ${id}`)
  const bytes = await readWhole(target, id, MANIFEST)
  const manifest = bytes && parseManifest(bytes.toString())
  if (!manifest)
    throw new BackupError(
      `The manifest of the backup ${id} is damaged, so it cannot be used. Name another backup: ` +
        '"npm run admin -- backup list" lists them. The next backup is complete again.',
    )
  if (manifest.format !== 1)
    throw new BackupError(
      `The backup ${id} was made by Slipway ${manifest.slipway}, which is newer than this one. Use ` +
        'it with that version.',
    )
  return manifest
}

/** The ids of all backups, oldest first, and whether each has a manifest. */
export async function listBackups({ storage }: Target): Promise<Map<string, boolean>> {
  const backups = new Map<string, boolean>()
  for await (const { key } of storage.list(BACKUPS)) {
    const [id = '', file] = key.slice(BACKUPS.length).split('/')
    if (BACKUP_ID.test(id)) backups.set(id, (backups.get(id) ?? false) || file === MANIFEST)
  }
  return backups
}

export async function completeBackups(target: Target): Promise<string[]> {
  return [...(await listBackups(target))].filter(([, complete]) => complete).map(([id]) => id)
}

/** A backup by its id, or the newest one. */
export async function chooseBackup(target: Target, id?: string): Promise<Manifest> {
  if (id && !BACKUP_ID.test(id)) throw new BackupError(`${id} is not the id of a backup`)
  const chosen = id ?? (await completeBackups(target)).at(-1)
  if (!chosen) throw new BackupError(`There is no complete backup in ${target.name}`)
  return readManifest(target, chosen)
}

/** Removes a backup. Its manifest goes first, so that a part of it is never taken for a whole. */
export async function removeBackup({ storage }: Target, id: string): Promise<void> {
  await storage.remove(`${BACKUPS}${id}/${MANIFEST}`)
  for await (const { key } of storage.list(`${BACKUPS}${id}/`)) await storage.remove(key)
}

/** The objects that a target has, by their SHA-256, with their sizes. */
export async function presentObjects({ storage }: Target): Promise<Map<string, number>> {
  const present = new Map<string, number>()
  for await (const { key, size } of storage.list(OBJECTS))
    present.set(key.slice(key.lastIndexOf('/') + 1), size)
  return present
}

/**
 * Makes sure that a power cut leaves the objects that a target has: a backup that was killed may
 * not have synced the names of its last ones. The objects of a folder share that.
 */
export async function settleObjects(
  { storage }: Target,
  present: ReadonlyMap<string, number>,
): Promise<void> {
  const folders = new Map([...present.keys()].map((sha256) => [sha256.slice(0, 2), sha256]))
  for (const sha256 of folders.values()) await storage.settle?.(objectKeyOf(sha256))
}

export type TargetLock = {
  /** Fails if another backup took this one for interrupted, and may have removed its files. */
  check: () => Promise<void>
  release: () => Promise<void>
}

/**
 * Lets one backup at a time write to a target. Two that start together see each other's lock, and
 * give way.
 */
export async function lockTarget({ storage, name }: Target, id: string): Promise<TargetLock> {
  const key = LOCKS + id
  const write = () => storage.put(key, Buffer.from(new Date().toISOString()))
  await write()
  const other = await findLock(storage, id)
  if (other) {
    await storage.remove(key)
    throw new BackupError(
      `Another backup (${other}) is being written to ${name}. Wait until it has ended; one that ` +
        'was interrupted is ignored after five minutes.',
    )
  }
  let is_lost = false
  const renew = async () => {
    is_lost ||= !(await storage.stat(key))
    if (!is_lost) await write()
  }
  /** Whether a lock of another stays. That of a backup that gives way is there for a moment. */
  const isTaken = async () => {
    for (let tries = 0; tries < GIVE_WAY_TRIES; tries++) {
      if (!(await findLock(storage, id))) return false
      await pause(SECOND_MS)
    }
    return true
  }
  let renewing: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    // A failure shows in the writes of the backup itself.
    renewing = renewing.then(renew).catch(() => {})
  }, HEARTBEAT_MS)
  return {
    async check() {
      await renewing
      await renew()
      // Who removed the lock just before it was renewed has one, too.
      is_lost ||= await isTaken()
      if (is_lost)
        throw new BackupError(
          `This command did not reach ${name} for five minutes, and another backup has taken its ` +
            'place. Run it again if you need it.',
        )
    },
    async release() {
      clearInterval(timer)
      await renewing
      await storage.remove(key)
    },
  }
}

/**
 * Removes files of a target under a lock. A process that was frozen for minutes may have lost it:
 * then another backup relies on what is there.
 */
export async function removeLocked(
  { storage }: Target,
  lock: TargetLock,
  keys: Iterable<string>,
): Promise<void> {
  let checked_at = Number.NEGATIVE_INFINITY
  for (const key of keys) {
    if (Date.now() - checked_at > CHECK_MS) {
      await lock.check()
      checked_at = Date.now()
    }
    await storage.remove(key)
  }
}

async function findLock(storage: Storage, own_id: string): Promise<string | undefined> {
  for await (const { key } of storage.list(LOCKS)) {
    const id = key.slice(LOCKS.length)
    if (id === own_id) continue
    const object = await storage.get(key)
    if (!object) continue
    const renewed_at = Date.parse((await buffer(object.stream)).toString())
    if (Date.now() - renewed_at < LOCK_MS) return id
    await storage.remove(key)
  }
  return undefined
}

/** Copies an object from a backup into a store; false if the backup does not have it whole. */
export async function copyBack(
  { storage: from }: Target,
  to: Storage,
  { key, size, sha256 }: ObjectEntry,
  signal: AbortSignal,
): Promise<boolean> {
  const copy = async () => {
    let source: StoredObject | null = null
    try {
      source = await openForCheck(from, objectKeyOf(sha256))
      if (!source) return false
      if (source.size !== size) throw new DamagedObject()
      await to.put(key, verified(source, sha256, signal), { checked: true })
      return true
    } finally {
      source?.stream.destroy()
    }
  }
  return orDamaged(from, objectKeyOf(sha256), signal, copy).catch((error) => {
    if (error instanceof DamagedObject) return false
    throw error
  })
}
