import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MIB } from '../../src/core/runtime/units.ts'
import { applyEntry } from '../../src/updates/patches/apply.ts'
import {
  BadPatch,
  type PatchEntry,
  type PatchHeader,
  PREFIX_BYTES,
  readHeader,
  readPrefix,
} from '../../src/updates/patches/format.ts'
import { BackgroundWriter } from './background-writer.ts'
import { inParallel } from './disk.ts'
import type { Entry } from './manifest.ts'
import { isUnchanged } from './old-tree.ts'
import type { InstalledVersion } from './record.ts'
import { OWNER } from './unpack.ts'

const AT_ONCE = 4
/** Files are made at the same time as long as they need no more memory than this together. */
const MAX_MEMORY = 320 * MIB

/** Thrown for a patch that is not what the manifest says. */
export class UnusablePatch extends Error {}

type Application = {
  /** The file with the patch. */
  spool: string
  files: Omit<PatchHeader, 'entries'>
  tree: string
  old: InstalledVersion
  old_tree: string
  missing: readonly Entry[]
  /** Gets how many bytes of files were made since. */
  onBytes: (bytes: number) => void
}

/** Makes the files of a patch that are missing, and returns its entries of those. */
export async function applyPatch({
  spool,
  files,
  tree,
  old,
  old_tree,
  missing,
  onBytes,
}: Application): Promise<PatchEntry[]> {
  const file = await open(spool, 'r')
  try {
    const { header, body_start } = await readPatch(file)
    if (header.from_file !== files.from_file || header.to_file !== files.to_file)
      throw new UnusablePatch()
    const wanted = new Map(missing.map((entry) => [entry.path, entry]))
    const old_entries = new Map(old.entries.map((entry) => [entry.path, entry]))
    const memory = new MemoryLimit(MAX_MEMORY)
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
      const sources = { file, body_start, source, target: join(tree, entry.path), onBytes }
      await memory.use(memoryFor(entry), async () => {
        if (await makeFile(sources, entry, expected)) made.push(entry)
      })
    }
    // Those that take long come first, so that the others are made beside them.
    const by_size = header.entries.toSorted((a, b) => b.size - a.size)
    await inParallel(by_size, AT_ONCE, run)
    return made
  } finally {
    await file.close()
  }
}

/** The old bytes are in memory twice, because zstd copies its dictionary. */
const memoryFor = ({ segments }: PatchEntry) =>
  segments.reduce((most, { size, base, length }) => Math.max(most, 2 * base[1] + size + length), 0)

/** Lets tasks run in the order they came, as many at a time as have room together. */
class MemoryLimit {
  private free: number
  private readonly total: number
  private turn: Promise<void> = Promise.resolve()
  private onFree: (() => void) | undefined

  constructor(total: number) {
    this.total = total
    this.free = total
  }

  async use(bytes: number, run: () => Promise<void>): Promise<void> {
    // What is larger than everything runs alone.
    const taken = Math.min(bytes, this.total)
    const before = this.turn
    this.turn = before.then(() => this.take(taken))
    await this.turn
    try {
      await run()
    } finally {
      this.free += taken
      this.onFree?.()
    }
  }

  private async take(bytes: number): Promise<void> {
    while (this.free < bytes)
      await new Promise<void>((resolve) => {
        this.onFree = resolve
      })
    this.free -= bytes
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

type Sources = {
  file: FileHandle
  body_start: number
  source: string
  target: string
  onBytes: (bytes: number) => void
}

/**
 * Whether the file has the contents of the manifest now, and is on the disk; if not, nothing of it
 * is left.
 */
async function makeFile(
  { file, body_start, source, target, onBytes }: Sources,
  entry: PatchEntry,
  expected: Entry,
): Promise<boolean> {
  const base = await open(source, 'r')
  const out = await open(target, 'w', OWNER)
  const writer = new BackgroundWriter(out)
  const hash = createHash('sha256')
  let is_good = false
  try {
    const contents = applyEntry(entry, {
      readBase: (start, size) => readAt(base, start, size),
      readFrames: (start, size) => readAt(file, body_start + start, size),
    })
    for await (const block of contents) {
      // It is written by another thread while it is hashed here.
      const written = writer.write(block)
      hash.update(block)
      await written
      onBytes(block.length)
    }
    await writer.finish()
    is_good = writer.length === expected.size && hash.digest('hex') === expected.sha256
    if (is_good) {
      await out.chmod(expected.mode | OWNER)
      await out.sync()
    }
  } catch (error) {
    is_good = false
    if (!(error instanceof UnusablePatch || error instanceof BadPatch)) throw error
  } finally {
    await writer.finish().catch(() => {})
    await Promise.all([base.close(), out.close()])
    if (!is_good) await rm(target, { force: true })
  }
  return is_good
}
