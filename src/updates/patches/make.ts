import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import type { Core } from '../../core/runtime/core.ts'
import { MIB } from '../../core/runtime/units.ts'
import { readContents, type StoredZipFile } from '../contents.ts'
import { type Pass, readExactly } from './compress.ts'
import { type Compressor, startCompressor } from './compressor.ts'
import {
  DIFFERENCE_FORMAT,
  MAGIC,
  type PatchEntry,
  type PatchHeader,
  ZSTD_FORMAT,
} from './format.ts'
import { type ChangedFile, matchFiles } from './match-files.ts'
import { openStoredEntries, type StoredEntries } from './stored-entries.ts'

export type PatchPair = { from: StoredZipFile; to: StoredZipFile }
export type MadePatch = {
  path: string
  format: string
  size: number
  sha256: string
  /** What players download without it, in bytes. */
  full_size: number
}

/** A patch is worth its storage if it is at most this part of what players would download. */
const MAX_PART = 0.5

/**
 * Finding differences takes about 0.1 s per MiB. The first pass finds those of so many bytes, old
 * and new, so that players do not wait for the patch of a large build.
 */
const FIRST_PASS_BYTES = 96 * MIB

type MakeOptions = { folder: string; pass: Pass; signal: AbortSignal }

/**
 * Makes a patch in a folder; undefined if none is worth keeping. Every file in it was applied and
 * compared.
 */
export async function makePatch(
  core: Core,
  { from, to }: PatchPair,
  { folder, pass, signal }: MakeOptions,
): Promise<MadePatch | undefined> {
  const [old, next] = await Promise.all([readContents(core, from), readContents(core, to)])
  const changed = matchFiles(old.entries, next.entries)
  if (!changed.length) return undefined
  const [old_zip, new_zip] = await Promise.all([
    openStoredEntries(core, from),
    openStoredEntries(core, to),
  ])
  const compressor = await startCompressor(signal)
  try {
    return await composePatch(
      { from_file: from.uid, to_file: to.uid },
      { changed, old_zip, new_zip, folder, pass, compress: compressor.compress },
    )
  } finally {
    compressor.stop()
  }
}

export type Composition = {
  changed: readonly ChangedFile[]
  old_zip: StoredEntries
  new_zip: StoredEntries
  folder: string
  pass: Pass
  compress: Compressor['compress']
}

export async function composePatch(
  files: Omit<PatchHeader, 'entries'>,
  composition: Composition,
): Promise<MadePatch | undefined> {
  const frames = join(composition.folder, 'frames')
  const kept = worthKeeping(await compressAll(composition, frames))
  if (!kept.length) return undefined
  const written = await writePatch(join(composition.folder, 'patch'), frames, files, kept)
  const full_size = kept.reduce((sum, { full }) => sum + full, 0)
  return written.size <= full_size * MAX_PART ? { ...written, full_size } : undefined
}

async function compressAll(
  { changed, old_zip, new_zip, folder, pass, compress }: Composition,
  frames: string,
): Promise<PatchEntry[]> {
  const old_file = join(folder, 'old')
  const new_file = join(folder, 'new')
  const entries: PatchEntry[] = []
  let offset = 0
  let remaining = pass === 1 ? FIRST_PASS_BYTES : Number.POSITIVE_INFINITY
  for (const { from, to } of changed) {
    await Promise.all([
      old_zip.unpackTo(from.path, from.sha256, old_file),
      new_zip.unpackTo(to.path, to.sha256, new_file),
    ])
    const without_difference = from.size + to.size > remaining
    if (!without_difference) remaining -= from.size + to.size
    const segments = await compress({ old_file, new_file, out: frames, pass, without_difference })
    entries.push({
      path: to.path,
      size: to.size,
      sha256: to.sha256,
      from: { path: from.path, size: from.size, sha256: from.sha256 },
      full: new_zip.compressedSize(to.path),
      offset,
      segments,
    })
    offset += bytesOf({ segments })
  }
  await Promise.all([old_file, new_file].map((path) => rm(path, { force: true })))
  return entries
}

const bytesOf = ({ segments }: Pick<PatchEntry, 'segments'>) =>
  segments.reduce((sum, { length }) => sum + length, 0)

/**
 * Of all files those that save the most, until the patch would be too large for what it saves. The
 * others are downloaded whole.
 */
export function worthKeeping(entries: readonly PatchEntry[]): PatchEntry[] {
  const ratio = (entry: PatchEntry) => bytesOf(entry) / Math.max(1, entry.full)
  let patch = 0
  let full = 0
  const kept: PatchEntry[] = []
  for (const entry of entries.toSorted((a, b) => ratio(a) - ratio(b))) {
    patch += bytesOf(entry)
    full += entry.full
    if (patch > full * MAX_PART || bytesOf(entry) >= entry.full) break
    kept.push(entry)
  }
  return kept.sort((a, b) => a.offset - b.offset)
}

/** Writes header and segments, and returns the size and hash of the whole. */
export async function writePatch(
  path: string,
  frames: string,
  header: Omit<PatchHeader, 'entries'>,
  kept: readonly PatchEntry[],
): Promise<Omit<MadePatch, 'full_size'>> {
  let offset = 0
  const entries = kept.map((entry) => {
    const moved = { ...entry, offset }
    offset += bytesOf(entry)
    return moved
  })
  const packed = zstdCompressSync(JSON.stringify({ ...header, entries } satisfies PatchHeader), {
    params: { [constants.ZSTD_c_compressionLevel]: 9 },
  })
  const length = Buffer.alloc(4)
  length.writeUInt32LE(packed.length)
  const [source, target] = await Promise.all([open(frames, 'r'), open(path, 'w', 0o600)])
  const hash = createHash('sha256')
  let size = 0
  const write = async (block: Buffer) => {
    hash.update(block)
    size += block.length
    await target.writeFile(block)
  }
  try {
    await write(Buffer.concat([MAGIC, length, packed]))
    for (const entry of kept)
      for await (const block of blocksOf(source, entry.offset, bytesOf(entry))) await write(block)
  } finally {
    await Promise.all([source.close(), target.close()])
  }
  const has_differences = kept.some(({ segments }) => segments.some(({ kind }) => kind))
  const format = has_differences ? DIFFERENCE_FORMAT : ZSTD_FORMAT
  return { path, format, size, sha256: hash.digest('hex') }
}

async function* blocksOf(source: FileHandle, start: number, size: number) {
  for (let at = 0; at < size; at += MIB)
    yield await readExactly(source, start + at, Math.min(MIB, size - at))
}
