import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, open, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { syncFile } from '../../src/core/storage/durable-files.ts'
import { zipRecordBytes, zipSignatures } from '../../src/core/storage/zip-format.ts'
import type { ZipEntry } from '../../src/uploads/zip/directory.ts'
import { statsOf, writeAll } from './disk.ts'
import type { Entry } from './manifest.ts'
import { damagedFile, isDamage, type Part, type RemoteZip } from './remote-zip.ts'

const STORED = 0
const HEADER = zipRecordBytes.local_header
/** Readable and writable for the owner, whatever the build says, so that updates can remove it. */
export const OWNER = 0o600

/**
 * Where the bytes of a large file are kept as they are in the zip, until it is unpacked. Beside the
 * file, its name could be too long, or that of another file of the build.
 */
export const partOf = (folder: string, path: string) =>
  join(folder, createHash('sha256').update(path).digest('hex'))

/** Where the bytes of an entry begin in what was read from the start of its header. */
function dataStart(bytes: Buffer, entry: ZipEntry): number {
  const is_header = bytes.length >= HEADER && bytes.readUInt32LE(0) === zipSignatures.local_header
  if (!is_header) throw damagedFile(entry.path)
  return HEADER + bytes.readUInt16LE(26) + bytes.readUInt16LE(28)
}

/** Reads a part with small files, and writes each that has the contents of the manifest. */
export async function unpackSmall(
  zip: RemoteZip,
  { start, end, entries }: Part,
  onFile: (path: string, contents: Buffer) => Promise<void>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const bytes = Buffer.allocUnsafe(end - start + 1)
  let filled = 0
  await zip.read(start, end, async (block) => {
    block.copy(bytes, filled)
    filled += block.length
    onBytes(block.length)
  })
  for (const entry of entries) {
    const own = bytes.subarray(entry.offset - start)
    const at = dataStart(own, entry)
    const packed = own.subarray(at, at + entry.compressed)
    if (packed.length !== entry.compressed) throw damagedFile(entry.path)
    await onFile(entry.path, inflateSmall(packed, entry))
  }
}

function inflateSmall(packed: Buffer, { method, size, path }: ZipEntry): Buffer {
  if (method === STORED) return packed
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) })
  } catch {
    throw damagedFile(path)
  }
}

/** Writes a file whose contents are those of the manifest; nothing else is ever kept. */
export async function writeChecked(
  target: string,
  { path, size, sha256, mode }: Entry,
  contents: Buffer,
): Promise<void> {
  const hash = createHash('sha256').update(contents).digest('hex')
  if (contents.length !== size || hash !== sha256) throw damagedFile(path)
  const handle = await open(target, 'w', OWNER)
  try {
    await handle.writeFile(contents)
    await handle.chmod(mode | OWNER)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A file that an interrupted run wrote may lack its permissions, and may not be on disk yet. */
export async function finishFile(target: string, { mode }: Entry): Promise<void> {
  // Without opening it for writing, which a program that runs refuses.
  await chmod(target, mode | OWNER)
  await syncFile(target)
}

type LargeFile = { spool: string; target: string; expected: Entry }
type Counters = Record<'onBytes' | 'onUnpacked', (bytes: number) => void>

/**
 * Reads a large file as it is in the zip into the spool, which a later run continues with, and
 * unpacks it from there. `onBytes` gets what was read and `onUnpacked` what was written; both throw
 * to end this early.
 */
export async function unpackLarge(
  zip: RemoteZip,
  part: Part,
  file: LargeFile,
  { onBytes, onUnpacked }: Counters,
): Promise<void> {
  const { spool } = file
  const kept = await keptBytes(spool, part)
  let counted = 0
  const count = (bytes: number) => {
    counted += bytes
    onBytes(bytes)
  }
  try {
    const from = await fillSpool(zip, part, { spool, kept }, count)
    await inflateFile(file, from, part.entries[0]!, onUnpacked)
  } catch (error) {
    // Any other failure leaves what was read to the next run.
    if (!isDamage(error)) throw error
    await rm(spool, { force: true })
    if (!kept) throw error
    // After a power cut, what an earlier run left may not be what it wrote.
    onBytes(-counted)
    return unpackLarge(zip, part, file, { onBytes, onUnpacked })
  }
  await rm(spool, { force: true })
}

/** How much of a part an earlier run has read. */
async function keptBytes(spool: string, { start, end }: Part): Promise<number> {
  const size = (await statsOf(spool))?.size ?? 0
  return Math.min(size, end - start + 1)
}

/** Reads the rest of a part into the spool. Returns where the bytes of the entry begin in it. */
async function fillSpool(
  zip: RemoteZip,
  { start, end, entries: [entry] }: Part,
  { spool, kept }: { spool: string; kept: number },
  onBytes: (bytes: number) => void,
): Promise<number> {
  if (kept) await truncate(spool, kept)
  onBytes(kept)
  const file = await open(spool, kept ? 'r+' : 'w+', OWNER)
  try {
    let at = kept
    if (start + kept <= end)
      await zip.read(start + kept, end, async (block) => {
        await writeAll(file, block, at)
        at += block.length
        onBytes(block.length)
      })
    const header = Buffer.alloc(HEADER)
    await file.read(header, 0, HEADER, 0)
    return dataStart(header, entry!)
  } finally {
    await file.close()
  }
}

async function inflateFile(
  { spool, target, expected: { size, sha256, mode } }: LargeFile,
  from: number,
  { compressed, method, path }: ZipEntry,
  onUnpacked: (bytes: number) => void,
): Promise<void> {
  const packed = createReadStream(spool, {
    start: from,
    end: from + compressed - 1,
    highWaterMark: 1024 * 1024,
  })
  const out = await open(target, 'w', OWNER)
  const hash = createHash('sha256')
  let length = 0
  const write = async (contents: AsyncIterable<Buffer>) => {
    for await (const block of contents) {
      if (length + block.length > size) throw damagedFile(path)
      await writeAll(out, block, length)
      hash.update(block)
      length += block.length
      onUnpacked(block.length)
    }
  }
  try {
    if (method === STORED) await pipeline(packed, write)
    else await pipeline(packed, createInflateRaw(), write)
    if (length !== size || hash.digest('hex') !== sha256) throw damagedFile(path)
    await out.chmod(mode | OWNER)
    await out.sync()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw damagedFile(path)
    throw error
  } finally {
    await out.close()
  }
}
