import { createHash } from 'node:crypto'
import { type FileHandle, open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { applyEntry } from '../../src/updates/patches/apply.ts'
import {
  BadPatch,
  type PatchEntry,
  PREFIX_BYTES,
  patchFormats,
  readHeader,
  readPrefix,
} from '../../src/updates/patches/format.ts'
import { ApiError } from '../errors.ts'
import { t } from '../messages.ts'
import { hashFile, inParallel, writeAll } from './disk.ts'
import type { Entry, Manifest, Patch } from './manifest.ts'
import { type InstalledVersion, isUnchanged } from './record.ts'
import { openRemoteFile } from './remote-file.ts'
import type { StoreApi } from './store-api.ts'
import { finishFile } from './unpack.ts'

const OWNER = 0o600
const SMALL_BYTES = 4 * 1024 * 1024
const SMALL_AT_ONCE = 4

type Patching = {
  api: StoreApi
  manifest: Manifest
  tree: string
  old: InstalledVersion
  old_tree: string
  missing: Entry[]
  /** Where the patch is kept until it is applied; a later run continues it. */
  spool: string
  label: string
}
type Patched = {
  /** What is still to be downloaded. */
  missing: Entry[]
  downloaded: number
  saved: number
}

/**
 * Makes files out of those of the version before, where the store has a patch. What a patch cannot
 * make is downloaded whole: a file that the player changed, or all files if it does not work.
 */
export async function patchFiles(patching: Patching): Promise<Patched> {
  const { api, manifest, old, missing, spool } = patching
  const nothing = { missing, downloaded: 0, saved: 0 }
  const { file_uid } = old.manifest.file
  const patch = manifest.patches?.find(
    ({ from_file, format }) => from_file === file_uid && patchFormats.includes(format),
  )
  if (!patch) return nothing
  if (!canApply()) {
    api.ui.note(t('client-no-zstd'))
    return nothing
  }
  try {
    const downloaded = await downloadPatch(patching, patch)
    const made = await applyPatch(patching, patch)
    const saved = Math.max(0, made.reduce((sum, { full }) => sum + full, 0) - patch.size)
    const paths = new Set(made.map(({ path }) => path))
    await rm(spool, { force: true })
    return { missing: missing.filter(({ path }) => !paths.has(path)), downloaded, saved }
  } catch (error) {
    // Whoever may have the game can download it whole; other refusals are repeated there.
    if (!(error instanceof UnusablePatch || error instanceof ApiError) || api.signal.aborted)
      throw error
    api.ui.note(t('client-patch-unusable'))
    await rm(spool, { force: true })
    return nothing
  }
}

class UnusablePatch extends Error {}

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
  const { api, manifest, spool, label } = patching
  const { patch_uid, size, sha256 } = patch
  const kept = await stat(spool).then(
    (stats) => Math.min(stats.size, size),
    () => 0,
  )
  if (kept) await truncate(spool, kept)
  const remote = openRemoteFile(
    api,
    async () => `/public/games/${manifest.game_uid}/patches/${patch_uid}`,
  )
  const progress = api.ui.progress(label, size)
  const file = await open(spool, kept ? 'r+' : 'w', OWNER)
  let at = kept
  try {
    if (kept < size)
      await remote.read(kept, size - 1, async (block) => {
        await writeAll(file, block, at)
        at += block.length
        progress.at(at)
      })
    progress.step(size)
  } finally {
    progress.end()
    await file.close()
  }
  if ((await hashFile(spool)) === sha256) return size - kept
  if (!kept) throw new UnusablePatch()
  // What an earlier run left may be of another patch, or not what it wrote.
  await rm(spool)
  return downloadPatch(patching, patch)
}

/** Returns the entries that were made. */
async function applyPatch(
  { manifest, tree, old, old_tree, missing, spool }: Patching,
  { from_file }: Patch,
): Promise<PatchEntry[]> {
  const file = await open(spool, 'r')
  try {
    const { header, body_start } = await readPatch(file)
    if (header.from_file !== from_file || header.to_file !== manifest.file.file_uid)
      throw new UnusablePatch()
    const wanted = new Map(missing.map((entry) => [entry.path, entry]))
    const old_entries = new Map(old.entries.map((entry) => [entry.path, entry]))
    const made: PatchEntry[] = []
    const run = async (entry: PatchEntry) => {
      const expected = wanted.get(entry.path)
      const base = old_entries.get(entry.from.path)
      const fits =
        expected?.sha256 === entry.sha256 &&
        expected.size === entry.size &&
        base?.sha256 === entry.from.sha256 &&
        base.link === undefined
      if (!fits) return
      const source = join(old_tree, base.path)
      if (!(await isUnchanged(source, base, old))) return
      const sources = { file, body_start, source, target: join(tree, entry.path) }
      if (await makeFile(sources, entry, expected)) made.push(entry)
    }
    const isSmall = ({ size, from }: PatchEntry) => size + from.size < SMALL_BYTES
    await inParallel(header.entries.filter(isSmall), SMALL_AT_ONCE, run)
    // A large file takes much memory, so there is one at a time.
    for (const entry of header.entries) if (!isSmall(entry)) await run(entry)
    return made
  } finally {
    await file.close()
  }
}

async function readPatch(file: FileHandle) {
  const length = readPrefix(await readAt(file, 0, PREFIX_BYTES))
  const header = length && readHeader(await readAt(file, PREFIX_BYTES, length))
  if (!header) throw new UnusablePatch()
  return { header, body_start: PREFIX_BYTES + length }
}

async function readAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, start + at)
    if (!bytesRead) throw new UnusablePatch()
    at += bytesRead
  }
  return bytes
}

type Sources = { file: FileHandle; body_start: number; source: string; target: string }

/** Whether the file has the contents of the manifest now; if not, nothing of it is left. */
async function makeFile(
  { file, body_start, source, target }: Sources,
  entry: PatchEntry,
  expected: Entry,
): Promise<boolean> {
  const base = await open(source, 'r')
  const out = await open(target, 'w', OWNER)
  const hash = createHash('sha256')
  let length = 0
  let is_good = false
  try {
    const contents = applyEntry(entry, {
      readBase: (start, size) => readAt(base, start, size),
      readFrames: (start, size) => readAt(file, body_start + start, size),
    })
    for await (const block of contents) {
      await writeAll(out, block, length)
      hash.update(block)
      length += block.length
    }
    is_good = length === expected.size && hash.digest('hex') === expected.sha256
  } catch (error) {
    if (!(error instanceof UnusablePatch || error instanceof BadPatch)) throw error
  } finally {
    await Promise.all([base.close(), out.close()])
    if (!is_good) await rm(target, { force: true })
  }
  if (is_good) await finishFile(target, expected)
  return is_good
}
