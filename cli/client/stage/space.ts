import { link, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../../errors.ts'
import { formatSize, t } from '../../messages.ts'
import type { Entry } from '../manifest.ts'
import type { Carried } from '../player-files.ts'
import { CONNECTIONS } from './download.ts'
import type { Reused } from './reuse.ts'

/** Left free besides what the game needs. */
const SPARE_BYTES = 64 * 1024 * 1024

type Written = {
  missing: readonly Entry[]
  reused: readonly Reused[]
  carried: readonly Carried[]
  /** The size of the patch that files are made with, if there is one. */
  patch_size: number
  /** What an earlier run has downloaded already. */
  spooled: number
}

const sumOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0)

/**
 * Before anything is written: downloads, what downloads and the patch need until files are made of
 * them, and copies.
 */
export async function checkSpace(
  tree: string,
  { missing, reused, carried, patch_size, spooled }: Written,
): Promise<void> {
  const downloads = missing.map(({ size }) => size)
  const largest = downloads.toSorted((a, b) => b - a).slice(0, CONNECTIONS)
  const spools = Math.max(sumOf(largest), patch_size)
  const can_link = await canLink(tree, reused)
  const copies = reused.filter(({ is_linked }) => !(is_linked && can_link))
  const needed =
    sumOf(downloads) +
    spools -
    Math.min(spools, spooled) +
    sumOf(copies.map(({ entry }) => entry.size)) +
    sumOf(carried.map(({ kind, stats }) => (kind === 'file' ? stats.size : 0))) +
    SPARE_BYTES
  const { bavail, bsize } = await statfs(tree)
  const free = bavail * bsize
  if (free < needed)
    throw new UsageError(
      t('client-disk-full', { needed: formatSize(needed), free: formatSize(free) }),
      t('client-disk-full-hint'),
    )
}

/** Not every disk has hard links. */
async function canLink(tree: string, reused: readonly Reused[]): Promise<boolean> {
  const first = reused.find(({ is_linked }) => is_linked)
  if (!first) return true
  const target = join(tree, first.entry.path)
  const is_made = await link(first.source, target).then(
    () => true,
    () => false,
  )
  if (is_made) await rm(target)
  return is_made
}
