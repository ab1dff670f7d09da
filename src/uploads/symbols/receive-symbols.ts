import { createHash, type Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { readApp, readChecksum } from '../../builds/builds/fields.ts'
import { type Build, findBuild } from '../../builds/builds/queries.ts'
import {
  listSymbols,
  type NewSymbol,
  replaceSymbols,
  type SymbolRow,
} from '../../builds/symbols/queries.ts'
import { readModuleLine, symbolKey } from '../../builds/symbols/symbols.ts'
import { symbolLimits } from '../../builds/upload-limits.ts'
import { transact } from '../../core/database/transaction.ts'
import { readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { Refusal, refuse, refuseAndLog } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { ObjectTooLarge } from '../../core/storage/storage.ts'
import { announcedBytes, checkQuota, recordWithinQuota } from '../../listings/storage/quota.ts'
import type { Uploader } from '../queries.ts'
import { openFileSink } from '../receive/file-sink.ts'
import { isStorageFailure, partPath, removePart, zipFileReader } from '../receive/part-files.ts'
import { copyFilePart, FORM_BYTES } from '../receive/receive-file.ts'
import { refuseTooLarge } from '../receive/size-limit.ts'
import { refuseOtherApp, type UploadFields } from '../target.ts'
import { holdUploaderRole } from '../uploader-auth.ts'
import { ZipError } from '../zip/directory.ts'
import { unpack } from '../zip/entry.ts'
import { inspectZip } from '../zip/inspect.ts'
import type { ZipSource } from '../zip/zip-source.ts'

const MAX_REQUEST_BYTES = symbolLimits.max_upload_bytes + FORM_BYTES

/** Receives the debug symbols of a build, one file or a zip; stores all of them or none. */
export async function receiveSymbols(
  core: Core,
  request: IncomingMessage,
  uploader: Uploader,
): Promise<{ build: Build; symbols: SymbolRow[] }> {
  const { game_uid } = uploader
  if (Number(request.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES)
    refuseTooLarge(symbolLimits.max_upload_bytes)
  const bytes = announcedBytes(request, FORM_BYTES)
  await checkQuota(core, { game_uid, sender: 'developers', bytes })
  const path = await partPath(core, uuidv7())
  const stored: NewSymbol[] = []
  let is_recording = false
  try {
    const { build, filename } = await readUpload(core, request, game_uid, path)
    await forEachSymbolFile(path, filename, async (name, contents) => {
      stored.push(await storeSymbolFile(core, game_uid, name, contents))
    })
    crashPoint('symbols-stored')
    is_recording = true
    const symbols = await recordSymbols(core, uploader, build.uid, stored)
    crashPoint('symbols-recorded')
    return { build, symbols }
  } catch (error) {
    // Any other error while recording may come after the commit; then the sweep removes what has
    // no record.
    if (!is_recording || error instanceof Refusal)
      for (const { uid } of stored)
        await core.storage.discard(symbolKey(game_uid, uid)).catch(() => {})
    if (error instanceof ZipError) refuse('INVALID_SYMBOLS', undefined, error.explanation)
    if (error instanceof ObjectTooLarge)
      refuse(
        'UPLOAD_TOO_LARGE',
        undefined,
        explain(
          'file_bytes',
          `A symbol file can have at most ${symbolLimits.max_file_bytes} bytes`,
          { max_bytes: symbolLimits.max_file_bytes },
        ),
      )
    if (isStorageFailure(error)) refuse('SYMBOLS_NOT_STORED')
    throw error
  } finally {
    await removePart(path)
  }
}

async function readUpload(core: Core, request: IncomingMessage, game_uid: string, path: string) {
  const fields: UploadFields = Object.create(null)
  let file: { filename: string; checksum: string } | undefined
  for await (const part of readForm(request, { max_bytes: MAX_REQUEST_BYTES })) {
    if ('value' in part) fields[part.name] = part.value
    else if (part.name === 'file' && !file) {
      const sink = await openFileSink(path)
      const copying = copyFilePart(part, sink, symbolLimits.max_upload_bytes)
      await copying.finally(() => sink.close())
      file = { filename: part.filename, checksum: sink.hash.digest('hex') }
    }
  }
  if (!file)
    refuse(
      'FILE_MISSING',
      { field: 'file' },
      explain('symbols_file', 'Send the symbols as the file part of the form'),
    )
  if (!fields.build_id) refuse('BUILD_NOT_SPECIFIED', undefined, 'Send build_id')
  const build = isUuid(fields.build_id)
    ? await findBuild(core.sql, game_uid, fields.build_id)
    : undefined
  if (!build) refuse('BUILD_NOT_REGISTERED')
  // Programs of before did not send the app with symbols, so it is checked only if it was sent.
  if (fields.app !== undefined && readApp(fields).app !== build.app) refuseOtherApp(build)
  if (readChecksum(fields.checksum) !== file.checksum) refuse('CHECKSUM_MISMATCH')
  return { build, filename: file.filename }
}

type Store = (name: string, contents: AsyncIterable<Uint8Array>) => Promise<void>

/** Passes each symbol file of an upload on: the file itself, or the entries of the zip. */
async function forEachSymbolFile(path: string, filename: string, store: Store): Promise<void> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const source = { ...zipFileReader(handle), size }
    if (/\.sym$/i.test(filename)) return await store(filename, await source.stream(0, size))
    if (!/\.zip$/i.test(filename))
      refuse(
        'INVALID_SYMBOLS',
        undefined,
        explain('symbols_file', 'Send a .sym file, or a .zip of .sym files'),
      )
    for (const { entry, end } of await readSymbolEntries(source))
      await store(entry.path, unpack(entry, end, source))
  } finally {
    await handle.close()
  }
}

/** The entries of a zip of symbol files, each with the offset at which the next one begins. */
async function readSymbolEntries({ read, size }: ZipSource) {
  const limits = {
    max_entries: 2 * symbolLimits.max_files,
    max_unpacked: symbolLimits.max_unpacked_bytes,
  }
  const { entries, start: directory_start } = await inspectZip(read, size, limits)
  const files = entries
    .toSorted((a, b) => a.offset - b.offset)
    .map((entry, index, sorted) => ({ entry, end: sorted[index + 1]?.offset ?? directory_start }))
    .filter(({ entry }) => !entry.path.endsWith('/'))
  const is_valid =
    files.length > 0 &&
    files.length <= symbolLimits.max_files &&
    files.every(({ entry }) => /\.sym$/i.test(entry.path))
  if (!is_valid)
    refuse(
      'INVALID_SYMBOLS',
      undefined,
      explain(
        'symbols_zip',
        `The zip must hold 1 to ${symbolLimits.max_files} .sym files and nothing else`,
        { max: symbolLimits.max_files },
      ),
    )
  return files
}

async function storeSymbolFile(
  core: Core,
  game_uid: string,
  name: string,
  contents: AsyncIterable<Uint8Array>,
): Promise<NewSymbol> {
  const uid = uuidv7()
  const iterator = contents[Symbol.asyncIterator]()
  const { line, chunks } = await readFirstLine(iterator)
  const module = readModuleLine(line, name.slice(-80))
  const hash = createHash('sha256')
  const bytes = hashing(concatenate(chunks, iterator), hash)
  const { size } = await core.storage
    .put(symbolKey(game_uid, uid), bytes, { max_bytes: symbolLimits.max_file_bytes })
    .catch((error: Error) => {
      if (error instanceof Refusal || error instanceof ZipError || error instanceof ObjectTooLarge)
        throw error
      return refuseAndLog(
        { fields: { error: error.message }, message: 'could not store a symbol file' },
        'SYMBOLS_NOT_STORED',
      )
    })
  return { uid, ...module, size, checksum: hash.digest('hex') }
}

/** Reads until the end of the first line; returns the chunks it has read as well. */
async function readFirstLine(iterator: AsyncIterator<Uint8Array>) {
  const chunks: Uint8Array[] = []
  let text = ''
  while (!text.includes('\n') && text.length < symbolLimits.max_line) {
    const { value, done } = await iterator.next()
    if (done) break
    chunks.push(value)
    text += Buffer.from(value.subarray(0, symbolLimits.max_line)).toString('utf8')
  }
  return { line: text.split('\n')[0]!, chunks }
}

async function* hashing(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}

async function* concatenate(
  chunks: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** An upload may contain a module twice: the last file counts, and the others are removed. */
async function recordSymbols(
  core: Core,
  uploader: Uploader,
  build_uid: string,
  stored: NewSymbol[],
): Promise<SymbolRow[]> {
  const { game_uid } = uploader
  return transact(core.sql, async (tx) => {
    await holdUploaderRole(tx, uploader)
    const replaced = await recordWithinQuota(core, tx, { game_uid, sender: 'developers' }, () =>
      replaceSymbols(tx, game_uid, build_uid, stored),
    )
    const keys = replaced.map((uid) => symbolKey(game_uid, uid))
    if (keys.length) await core.jobs.send(tx, 'builds.remove-objects', { keys })
    crashPoint('symbols-recording')
    const uploaded = new Set(stored.map(({ uid }) => uid))
    return (await listSymbols(tx, game_uid, build_uid)).filter(({ uid }) => uploaded.has(uid))
  })
}
