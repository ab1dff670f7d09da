import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { chunksOf } from '../../src/builds/deltas/chunking.ts'
import {
  type Codec,
  type DeltaEntry,
  type DeltaHeader,
  type EntrySource,
  type SentEntry,
  treeHash,
  writePrefix,
} from '../../src/uploads/deltas/format.ts'
import { chunkHash, readSignature, type SignedChunks } from '../../src/uploads/deltas/signature.ts'
import type { DeltaAnswer } from './answer.ts'
import { compress, createCompressor } from './codec.ts'
import { type HashedItem, readBlocks } from './hash-items.ts'

/** A delta that is ready to be sent. */
export type Delta = { path: string; size: number; checksum: string; changed_ms: number }

/** Makes a patch of a new file against the old one, if the old one is there. */
export type MakePatch = (
  item: HashedItem,
  base: { path: string; size: number; sha256: string },
) => Promise<{ path: string; size: number } | undefined>

type Options = {
  folder: string
  codec: Codec
  signal: AbortSignal
  makePatch?: MakePatch | undefined
  onProgress?: (bytes: number) => void
}

/** The most files that a delta may refer to. */
const MAX_FILES = 64
const BLOCK = 1024 * 1024

/** Writes what the store needs to compose the zip of these items, and does not have. */
export async function makeDelta(
  items: readonly HashedItem[],
  answer: DeltaAnswer,
  options: Options,
): Promise<Delta> {
  const { folder, codec, onProgress = () => {} } = options
  const new_path = join(folder, 'new')
  const patches_path = join(folder, 'patches')
  const files = fileTable()
  const entries: SentEntry[] = []
  const new_bytes = openNewBytes(new_path, codec)
  const patches = await open(patches_path, 'w', 0o600)
  let done = 0
  try {
    const context = { answer, options, files, new_bytes, patches }
    for (const [index, item] of items.entries()) {
      entries.push(await makeEntry(context, index, item))
      done += item.size
      onProgress(done)
    }
  } finally {
    await patches.close()
    await new_bytes.end()
  }
  const header: DeltaHeader = { files: files.uids, entries, tree_sha256: treeHash(items) }
  return joinParts(join(folder, 'delta'), {
    codec,
    header: compress(codec, Buffer.from(JSON.stringify(header))),
    parts: [new_path, patches_path],
  })
}

function fileTable() {
  const uids: string[] = []
  return {
    uids,
    /** Undefined if there are too many files. */
    source(file_uid: string, path: string): EntrySource | undefined {
      if (!uids.includes(file_uid)) {
        if (uids.length === MAX_FILES) return undefined
        uids.push(file_uid)
      }
      return [uids.indexOf(file_uid), path]
    },
  }
}

type Context = {
  answer: DeltaAnswer
  options: Options
  files: ReturnType<typeof fileTable>
  new_bytes: NewBytes
  patches: FileHandle
}

async function makeEntry(context: Context, index: number, item: HashedItem): Promise<SentEntry> {
  const { path, kind, executable, size, sha256, target } = item
  const entry = { path, kind, executable, size, sha256 }
  if (kind === 'link') return { ...entry, target: target! }
  if (kind === 'folder' || size === 0) return entry
  const known = context.answer.known.get(index)
  const copy = known && context.files.source(known.file_uid, known.path)
  if (copy) return { path, kind, executable, copy: copy[1] === path ? [copy[0]] : copy }
  return { ...entry, ...(await changedContents(context, index, item)) }
}

async function changedContents(
  { answer, options, files, new_bytes, patches }: Context,
  index: number,
  item: HashedItem,
): Promise<Pick<DeltaEntry, 'base' | 'parts' | 'patch'>> {
  const { signal, makePatch } = options
  const base = answer.bases.get(index)
  const source = base && files.source(answer.base_file_uid, base.path)
  const patch = source && (await makePatch?.(item, base))
  if (source && patch) {
    for await (const block of readBlocks(patch.path, signal)) await patches.write(block)
    return { base: source, patch: patch.size }
  }
  const signature = base && answer.signatures.get(base.path)
  if (!source || !signature) {
    for await (const block of readBlocks(item.source, signal)) await new_bytes.write(block)
    return {}
  }
  const parts = await matchChunks(item, readSignature(signature), new_bytes, signal)
  return parts.length > 1 ? { base: source, parts } : {}
}

/** Compares the chunks of a file with those of the base, and writes those that are new. */
async function matchChunks(
  { source }: HashedItem,
  known: SignedChunks,
  new_bytes: NewBytes,
  signal: AbortSignal,
): Promise<number[]> {
  const parts = [0]
  for await (const chunk of chunksOf(readBlocks(source, signal))) {
    const offset = known.find(chunkHash(chunk), chunk.length)
    const last = parts.length - 1
    if (offset === undefined) {
      await new_bytes.write(chunk)
      parts[last]! += chunk.length
    } else if (parts[last] === 0 && last > 0 && parts[last - 2]! + parts[last - 1]! === offset)
      parts[last - 1]! += chunk.length
    else parts.push(offset, chunk.length, 0)
  }
  return parts
}

type NewBytes = ReturnType<typeof openNewBytes>

/** Compresses new bytes into a file, in blocks: chunks are small. */
function openNewBytes(path: string, codec: Codec) {
  const compressor = createCompressor(codec)
  const writing = pipeline(compressor, createWriteStream(path, { mode: 0o600 }))
  writing.catch(() => {})
  let gathered: Uint8Array[] = []
  let gathered_bytes = 0
  async function flush() {
    const block = Buffer.concat(gathered)
    gathered = []
    gathered_bytes = 0
    if (block.length === 0) return
    await new Promise<void>((resolve, reject) => {
      compressor.write(block, (error) => (error ? reject(error) : resolve()))
    })
  }
  return {
    async write(bytes: Uint8Array) {
      gathered.push(bytes)
      gathered_bytes += bytes.length
      if (gathered_bytes >= BLOCK) await flush()
    },
    async end() {
      await flush()
      compressor.end()
      await writing
    },
  }
}

type DeltaParts = {
  codec: Codec
  header: Buffer
  parts: [new_bytes: string, patches: string]
}

async function joinParts(path: string, { codec, header, parts }: DeltaParts): Promise<Delta> {
  const hash = createHash('sha256')
  const file = await open(path, 'w', 0o600)
  let size = 0
  const write = async (bytes: Buffer) => {
    hash.update(bytes)
    size += bytes.length
    await file.write(bytes)
  }
  try {
    const new_length = statSync(parts[0]).size
    await write(writePrefix({ codec, header_length: header.length, new_length }))
    await write(header)
    for (const part of parts)
      for await (const block of createReadStream(part, { highWaterMark: BLOCK }))
        await write(block as Buffer)
  } finally {
    await file.close()
  }
  return { path, size, checksum: hash.digest('hex'), changed_ms: statSync(path).mtimeMs }
}
