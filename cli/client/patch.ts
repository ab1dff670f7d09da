import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm, stat, truncate } from 'node:fs/promises'
import { zstdDecompressSync } from 'node:zlib'
import { patchFormats } from '../../src/updates/patches/format.ts'
import { ApiError } from '../errors.ts'
import { isTransient } from '../http/retry.ts'
import { t } from '../messages.ts'
import { applyPatch, UnusablePatch } from './apply-patch.ts'
import { writeAll } from './disk.ts'
import type { Entry, Manifest, Patch } from './manifest.ts'
import type { InstalledVersion } from './record.ts'
import { openRemoteFile } from './remote-file.ts'
import type { StoreApi } from './store-api.ts'
import { startUnpacking } from './unpack-progress.ts'

const OWNER = 0o600

type Patching = {
  api: StoreApi
  manifest: Manifest
  tree: string
  old: InstalledVersion
  old_tree: string
  missing: Entry[]
  /** Where the patch is kept until it is applied; a later run continues it. */
  spool: string
  name: string
}
type Patched = {
  /** What is still to be downloaded. */
  missing: Entry[]
  downloaded: number
  saved: number
}

/** The patch that the store has for a version. */
export function findPatch(manifest: Manifest, old: InstalledVersion): Patch | undefined {
  const { file_uid } = old.manifest.file
  return manifest.patches?.find(
    ({ from_file, format }) => from_file === file_uid && patchFormats.includes(format),
  )
}

/**
 * Makes files out of those of the version before, where the store has a patch. What a patch cannot
 * make is downloaded whole: a file that the player changed, or all files if it does not work.
 */
export async function patchFiles(patching: Patching): Promise<Patched> {
  const { api, manifest, tree, old, old_tree, missing, spool } = patching
  const nothing = { missing, downloaded: 0, saved: 0 }
  const patch = findPatch(manifest, old)
  if (!patch) return nothing
  if (!canApply()) {
    api.ui.note(t('client-no-zstd'))
    return nothing
  }
  try {
    const downloaded = await downloadPatch(patching, patch)
    const files = { from_file: patch.from_file, to_file: manifest.file.file_uid }
    const unpacking = startUnpacking(patching, missing)
    const onBytes = (bytes: number) => {
      if (api.signal.aborted) throw new Error('cancelled')
      unpacking.add(bytes)
    }
    const application = { spool, files, tree, old, old_tree, missing, onBytes }
    const made = await applyPatch(application).finally(unpacking.end)
    const saved = Math.max(0, made.reduce((sum, { full }) => sum + full, 0) - patch.size)
    const paths = new Set(made.map(({ path }) => path))
    await rm(spool, { force: true })
    return { missing: missing.filter(({ path }) => !paths.has(path)), downloaded, saved }
  } catch (error) {
    // Whoever may have the game can download it whole; other refusals are repeated there.
    if (!(error instanceof UnusablePatch || error instanceof ApiError) || api.signal.aborted)
      throw error
    api.ui.note(t('client-patch-unusable'))
    // The next run continues with what a server that is busy has sent.
    if (!isTransient(error)) await rm(spool, { force: true })
    return nothing
  }
}

/** A zstd frame with a dictionary, and the text that it has. */
const SAMPLE = Buffer.from('KLUv/SAgfQAAMHV2d3h5egIAXW1gIKoI', 'base64')
const SAMPLE_BASE = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz')
const SAMPLE_TEXT = 'uvwxyzabcdefghijklmnop0123456789'

/** Dictionaries of zstd came with Node 24.6; older releases ignore them, or have no zstd. */
export function canApply(): boolean {
  try {
    const text = zstdDecompressSync(SAMPLE, { dictionary: SAMPLE_BASE })
    return text.toString('utf8') === SAMPLE_TEXT
  } catch {
    return false
  }
}

/** Reads the patch into the spool, continuing what an earlier run left. Returns the bytes read. */
async function downloadPatch(patching: Patching, patch: Patch): Promise<number> {
  const { api, manifest, spool, name } = patching
  const { patch_uid, size, sha256 } = patch
  const kept = await stat(spool).then(
    (stats) => Math.min(stats.size, size),
    () => 0,
  )
  if (kept) await truncate(spool, kept)
  const hash = createHash('sha256')
  if (kept)
    for await (const block of createReadStream(spool, { highWaterMark: 1024 * 1024 }))
      hash.update(block as Buffer)
  const remote = openRemoteFile(
    api,
    async () => `/public/games/${manifest.game_uid}/patches/${patch_uid}`,
  )
  const label = t('client-downloading', { name, version: manifest.version })
  const progress = api.ui.progress(label, size)
  const file = await open(spool, kept ? 'r+' : 'w', OWNER)
  let at = kept
  try {
    if (kept < size)
      await remote.read(kept, size - 1, async (block) => {
        await writeAll(file, block, at)
        hash.update(block)
        at += block.length
        progress.at(at)
      })
    progress.step(size)
  } finally {
    progress.end()
    await file.close()
  }
  if (hash.digest('hex') === sha256) return size - kept
  if (!kept) throw new UnusablePatch()
  // What an earlier run left may be of another patch, or not what it wrote.
  await rm(spool)
  return downloadPatch(patching, patch)
}
