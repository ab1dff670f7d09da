import { statfs } from 'node:fs/promises'
import { GIB } from '../../core/runtime/units.ts'

const MIN_FREE_SHARE = 0.05
const MIN_FREE_BYTES = 2 * GIB

/** A disk is nearly full with less than 5 % or 2 GiB free, whichever is more. */
export const isDiskLow = ({ free_bytes, total_bytes }: Omit<Disk, 'low'>) =>
  free_bytes < Math.max(total_bytes * MIN_FREE_SHARE, MIN_FREE_BYTES)

export type Disk = { free_bytes: number; total_bytes: number; low: boolean }

/** The disk of the data folder. */
export async function readDisk(data_dir: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(data_dir)
  const sizes = { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
  return { ...sizes, low: isDiskLow(sizes) }
}
