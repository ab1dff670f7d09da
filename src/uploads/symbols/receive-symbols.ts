import { createHash, type Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { readChecksum } from '../../builds/builds/fields.ts'
import { type Build, findBuild } from '../../builds/builds/queries.ts'
import { symbolLimits } from '../../builds/limits.ts'
import {
  listSymbols,
  type NewSymbol,
  replaceSymbols,
  type SymbolRow,
} from '../../builds/symbols/queries.ts'
import { readModuleLine, symbolKey } from '../../builds/symbols/symbols.ts'
import { transact } from '../../core/database/transaction.ts'
import { readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { ObjectTooLarge } from '../../core/storage/storage.ts'
import { openSink } from '../receive/file-sink.ts'
import { isStorageFailure, partPath, removePart, zipFileReader } from '../receive/part-files.ts'
import { FORM_BYTES, fill } from '../receive/receive-file.ts'
import type { Fields } from '../target.ts'
import { ZipError } from '../zip/directory.ts'
import { unpack } from '../zip/entry.ts'
import { inspectZip } from '../zip/inspect.ts'

type Contents = AsyncIterable<Uint8Array>

/** Debug symbols of a build: one file, or a zip of them. All of them are kept or none. */
export async function receiveSymbols(
  core: Core,
  request: IncomingMessage,
  game_uid: string,
): Promise<{ build: Build; symbols: SymbolRow[] }> {
  if (Number(request.headers['content-length'] ?? 0) > symbolLimits.max_upload_bytes + FORM_BYTES)
    refuse('UPLOAD_TOO_LARGE')
  const path = await partPath(core, uuidv7())
  const stored: NewSymbol[] = []
  try {
    const { build, filename } = await readUpload(core, request, game_uid, path)
    await storeAll(core, game_uid, path, filename, stored)
    return { build, symbols: await record(core, game_uid, build.uid, stored) }
  } catch (error) {
    for (const { uid } of stored)
      await core.storage.remove(symbolKey(game_uid, uid)).catch(() => {})
    if (error instanceof ZipError) refuse('INVALID_SYMBOLS', undefined, `The zip ${error.message}`)
    if (error instanceof ObjectTooLarge)
      refuse(
        'UPLOAD_TOO_LARGE',
        undefined,
        `A symbol file has at most ${symbolLimits.max_file_bytes} bytes`,
      )
    if (isStorageFailure(error)) refuse('SYMBOLS_NOT_STORED')
    throw error
  } finally {
    await removePart(path)
  }
}

async function readUpload(core: Core, request: IncomingMessage, game_uid: string, path: string) {
  const fields: Fields = Object.create(null)
  let file: { filename: string; checksum: string } | undefined
  for await (const part of readForm(request, {
    max_bytes: symbolLimits.max_upload_bytes + FORM_BYTES,
  })) {
    if ('value' in part) fields[part.name] = part.value
    else if (part.name === 'file' && !file) {
      const sink = await openSink(path)
      await fill(part, sink, symbolLimits.max_upload_bytes).finally(() => sink.close())
      file = { filename: part.filename, checksum: sink.hash.digest('hex') }
    }
  }
  if (!file)
    refuse('FILE_MISSING', { field: 'file' }, 'Send the symbols as the file part of the form')
  if (!fields.build_id) refuse('BUILD_NOT_SPECIFIED', undefined, 'Say which build: build_id')
  const build = isUuid(fields.build_id)
    ? await findBuild(core.sql, game_uid, fields.build_id)
    : undefined
  if (!build) refuse('BUILD_NOT_REGISTERED')
  if (readChecksum(fields.checksum) !== file.checksum) refuse('CHECKSUM_MISMATCH')
  return { build, filename: file.filename }
}

async function storeAll(
  core: Core,
  game_uid: string,
  path: string,
  filename: string,
  stored: NewSymbol[],
): Promise<void> {
  const handle = await open(path, 'r')
  try {
    const source = zipFileReader(handle)
    const { size } = await handle.stat()
    if (/\.sym$/i.test(filename))
      return void stored.push(
        await storeOne(core, game_uid, filename, await source.stream(0, size)),
      )
    if (!/\.zip$/i.test(filename))
      refuse('INVALID_SYMBOLS', undefined, 'Send a .sym file, or a .zip of them')
    const limits = {
      max_entries: 2 * symbolLimits.max_files,
      max_unpacked: symbolLimits.max_unpacked_bytes,
    }
    const { entries, start } = await inspectZip(source.read, size, limits)
    const placed = entries
      .toSorted((a, b) => a.offset - b.offset)
      .map((entry, i, all) => ({ entry, end: all[i + 1]?.offset ?? start }))
    const files = placed.filter(({ entry }) => !entry.path.endsWith('/'))
    if (
      files.length === 0 ||
      files.length > symbolLimits.max_files ||
      files.some(({ entry }) => !/\.sym$/i.test(entry.path))
    )
      refuse(
        'INVALID_SYMBOLS',
        undefined,
        `The zip must hold 1 to ${symbolLimits.max_files} .sym files and nothing else`,
      )
    for (const { entry, end } of files)
      stored.push(await storeOne(core, game_uid, entry.path, unpack(entry, end, source)))
  } finally {
    await handle.close()
  }
}

async function storeOne(
  core: Core,
  game_uid: string,
  name: string,
  contents: Contents,
): Promise<NewSymbol> {
  const uid = uuidv7()
  const source = contents[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let line = ''
  while (!line.includes('\n') && line.length < symbolLimits.max_line) {
    const { value, done } = await source.next()
    if (done) break
    head.push(value)
    line += Buffer.from(value.subarray(0, symbolLimits.max_line)).toString('utf8')
  }
  const module = readModuleLine(line.split('\n')[0]!, name.slice(-80))
  const hash = createHash('sha256')
  const { size } = await core.storage
    .put(symbolKey(game_uid, uid), hashed(joined(head, source), hash), {
      max_bytes: symbolLimits.max_file_bytes,
    })
    .catch((error: Error) => {
      if (error instanceof Refusal || error instanceof ZipError || error instanceof ObjectTooLarge)
        throw error
      core.log.error({ error: error.message }, 'a symbol file could not be stored')
      return refuse('SYMBOLS_NOT_STORED')
    })
  return { uid, ...module, size, checksum: hash.digest('hex') }
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}

async function* joined(
  head: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value
}

async function record(
  core: Core,
  game_uid: string,
  build_uid: string,
  stored: NewSymbol[],
): Promise<SymbolRow[]> {
  return transact(core.sql, async (tx) => {
    const replaced = await replaceSymbols(tx, game_uid, build_uid, stored)
    // One upload may bring a module twice; the last one counts.
    const keys = replaced.map((uid) => symbolKey(game_uid, uid))
    if (keys.length) await core.jobs.send(tx, 'builds.remove-objects', { keys })
    const mine = new Set(stored.map(({ uid }) => uid))
    return (await listSymbols(tx, game_uid, build_uid)).filter(({ uid }) => mine.has(uid))
  })
}
