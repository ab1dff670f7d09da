import { statfs } from 'node:fs/promises'
import type { Config } from '../runtime/config.ts'
import type { Core } from '../runtime/core.ts'
import { refuse } from '../runtime/errors.ts'
import { perCore } from '../runtime/per-core.ts'
import { GIB, MIB, MINUTE, SECOND_MS } from '../runtime/units.ts'

const MIN_FREE_SHARE = 0.05
const MIN_FREE_BYTES = 2 * GIB
const RETRY_SECONDS = MINUTE

type DiskSizes = { free_bytes: number; total_bytes: number }

/**
 * A disk is nearly full with less than 5 % or 2 GiB free, whichever is more, unless the operator
 * set how much that is.
 */
export const isDiskLow = ({ free_bytes, total_bytes }: DiskSizes, min_free_mib?: number) =>
  free_bytes <
  (min_free_mib === undefined
    ? Math.max(total_bytes * MIN_FREE_SHARE, MIN_FREE_BYTES)
    : min_free_mib * MIB)

export type Disk = DiskSizes & { low: boolean; uploads_stopped: boolean }

/** The disk of the data folder. */
export async function readDisk({ data_dir, min_free_disk_mib, s3_url }: Config): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(data_dir)
  const sizes = { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
  const low = isDiskLow(sizes, min_free_disk_mib)
  // Uploads to a bucket do not fill the disk.
  return { ...sizes, low, uploads_stopped: low && !s3_url }
}

const CACHE_MS = SECOND_MS
const cachedDisk = perCore(() => ({ read_at: 0, disk: undefined as Promise<Disk> | undefined }))

/**
 * Refuses to store files while the disk is nearly full, so that the database can still write, and
 * in a drill.
 */
export async function requireFreeDisk(core: Core): Promise<void> {
  if (core.config.drill)
    refuse('UNAVAILABLE', undefined, 'This is a drill with a restored copy: no files are stored')
  if (core.config.s3_url) return
  const cached = cachedDisk(core)
  if (!cached.disk || Date.now() - cached.read_at >= CACHE_MS) {
    cached.disk = readDisk(core.config)
    cached.read_at = Date.now()
  }
  // A disk that cannot be read is for the storage to report.
  const disk = await cached.disk.catch(() => undefined)
  if (!disk?.uploads_stopped) return
  const headers = { 'retry-after': String(RETRY_SECONDS) }
  refuse('DISK_FULL', { retry_after: RETRY_SECONDS }, undefined, headers)
}
