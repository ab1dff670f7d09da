import { createHash } from 'node:crypto'
import {
  createReadStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { uploadLimits } from '../../src/builds/upload-limits.ts'
import { DAY_MS, MIB } from '../../src/core/runtime/units.ts'
import { type Directory, type ReadAt, ZipError } from '../../src/uploads/zip/directory.ts'
import { inspectZip } from '../../src/uploads/zip/inspect.ts'
import type { ZipSource } from '../../src/uploads/zip/zip-source.ts'
import { changedWhileReading, UsageError } from '../errors.ts'
import { formatSize, t } from '../messages.ts'
import type { Ui } from '../terminal/ui.ts'
import { ChangedWhileReading, packZip, ZipTooLarge } from '../zip/pack.ts'
import type { Item } from '../zip/tree.ts'

/** A zip that is ready to upload. */
export type Package = {
  path: string
  filename: string
  size: number
  checksum: string
  changed_ms: number
  files: number
  unpacked: number
}

/** Receives progress and can abort. */
type Caller = { ui: Ui; signal: AbortSignal }

const PREFIX = 'slipway-'
const STALE_MS = DAY_MS
const folders = new Set<string>()

/**
 * A folder that is removed when the program ends. The next run removes the folders of killed runs.
 */
export function temporaryFolder(): string {
  if (folders.size === 0) {
    sweep()
    process.once('exit', () => removeTemporary())
  }
  try {
    const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${processSpace()}-`))
    folders.add(folder)
    return folder
  } catch (error) {
    throw new UsageError(
      t('temporary-unwritable', {
        path: tmpdir(),
        code: String((error as NodeJS.ErrnoException).code),
      }),
      t('temporary-hint'),
    )
  }
}

export function removeTemporary(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  folders.clear()
}

/**
 * Names the processes among which process IDs are unique: those of one boot of a machine, and of
 * one container on it. Containers and machines may share the temporary folder.
 */
function processSpace(): string {
  const parts = [
    hostname(),
    ifAllowed(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    ifAllowed(() => readlinkSync('/proc/self/ns/pid')),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
}

const folderName = new RegExp(`^${PREFIX}(\\d+)-(?:([0-9a-f]{12})-)?\\w{6}$`)

/** A recent folder of another container or machine stays: its process may be running. */
function sweep() {
  for (const name of ifAllowed(() => readdirSync(tmpdir())) ?? []) {
    const [, pid, space] = folderName.exec(name) ?? []
    if (!pid || isAlive(Number(pid))) continue
    const folder = join(tmpdir(), name)
    ifAllowed(() => {
      if (space === processSpace() || Date.now() - statSync(folder).mtimeMs > STALE_MS)
        rmSync(folder, { recursive: true, force: true })
    })
  }
}

/** Ignores what another user owns. */
function ifAllowed<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Packs files into a zip of a temporary folder. */
export async function makePackage(
  items: readonly Item[],
  filename: string,
  { ui, signal }: Caller,
  max_bytes: number = uploadLimits.max_file_bytes,
): Promise<Package> {
  const files = items.filter(({ kind }) => kind !== 'folder').length
  if (files === 0) throw new UsageError(t('nothing-to-upload'), t('nothing-to-upload-hint'))
  const unpacked = items.reduce((sum, { size }) => sum + size, 0)
  const path = join(temporaryFolder(), filename)
  const progress = ui.progress(t('progress-packing'), unpacked)
  let done = 0
  try {
    const packing = await packZip(items, path, {
      max_bytes,
      signal,
      onProgress(bytes) {
        done += bytes
        progress.at(done)
      },
    })
    return { path, filename, ...packing, changed_ms: statSync(path).mtimeMs, files, unpacked }
  } catch (error) {
    removeTemporary()
    throw asUsageError(error, unpacked)
  } finally {
    progress.end()
  }
}

function asUsageError(error: unknown, unpacked: number): unknown {
  if (error instanceof ChangedWhileReading)
    return new UsageError(
      t('file-changed-packing', { path: error.path }),
      t('file-changed-packing-hint'),
    )
  if (error instanceof ZipTooLarge)
    return new UsageError(
      t('zip-too-large', { max: formatSize(error.max_bytes) }),
      t('exclude-hint'),
    )
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return new UsageError(
      t('zip-no-space', { path: tmpdir(), size: formatSize(unpacked) }),
      t('zip-no-space-hint'),
    )
  return error
}

/** Checks an existing zip by the rules of the server, and hashes it. */
export async function useZip(path: string, stats: Stats, { ui, signal }: Caller): Promise<Package> {
  const { files, unpacked } = await checkZip(path, stats, { ui, signal })
  const progress = ui.progress(t('progress-hashing'), stats.size)
  const hash = createHash('sha256')
  let done = 0
  const blocks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: MIB })
  for await (const block of blocks) {
    signal.throwIfAborted()
    hash.update(block)
    done += block.length
    progress.at(done)
  }
  progress.end()
  return {
    path,
    filename: basename(path),
    size: stats.size,
    checksum: hash.digest('hex'),
    changed_ms: stats.mtimeMs,
    files,
    unpacked,
  }
}

/** The server applies its own limits. */
const noLimits = { max_entries: 10_000_000, max_unpacked: Number.MAX_SAFE_INTEGER }

/** Reads parts of a zip on disk. */
const zipReader =
  (handle: FileHandle, signal: AbortSignal): ReadAt =>
  async (start, length) => {
    signal.throwIfAborted()
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start)
    if (bytesRead !== length) throw new ZipError('ends too early')
    return buffer
  }

/** Opens a zip whose rules were checked, to read what is in it. */
export async function readZip<T>(
  path: string,
  signal: AbortSignal,
  use: (zip: Directory, source: Omit<ZipSource, 'size'>) => Promise<T>,
): Promise<T> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const read = zipReader(handle, signal)
    const stream = async (start: number, length: number) =>
      Readable.from([await read(start, length)])
    return await use(await inspectZip(read, size, noLimits), { read, stream })
  } finally {
    await handle.close()
  }
}

export async function checkZip(
  path: string,
  { size }: Stats,
  { ui, signal }: Caller,
): Promise<{ files: number; unpacked: number }> {
  if (size === 0) throw new UsageError(t('zip-empty', { path }))
  if (size > uploadLimits.max_file_bytes)
    throw new UsageError(
      t('zip-file-too-large', { path, max: formatSize(uploadLimits.max_file_bytes) }),
    )
  const handle = await open(path, 'r')
  try {
    const { entries, collisions } = await inspectZip(zipReader(handle, signal), size, noLimits)
    for (const names of collisions) ui.warn(t('warn-collision', names))
    return {
      files: entries.filter((entry) => !entry.path.endsWith('/')).length,
      unpacked: entries.reduce((sum, entry) => sum + entry.size, 0),
    }
  } catch (error) {
    if (error instanceof ZipError)
      throw new UsageError(t('zip-problem', { path, problem: error.message }))
    throw error
  } finally {
    await handle.close()
  }
}

/** Throws if the file has changed since it was hashed. */
export function checkUnchanged({ path, size, changed_ms }: Package): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.size !== size || stats.mtimeMs !== changed_ms) throw changedWhileReading(path)
}

export const describePackage = ({ size, files, unpacked }: Package) =>
  t('packed', {
    size: formatSize(size),
    files: t('count-files', { count: files }),
    unpacked: formatSize(unpacked),
  })
