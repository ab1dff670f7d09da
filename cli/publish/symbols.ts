import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { readModuleLine } from '../../src/builds/symbols/symbols.ts'
import { symbolLimits } from '../../src/builds/upload-limits.ts'
import { UsageError } from '../errors.ts'
import { type Api, type Data, isObject } from '../http/api.ts'
import { multipart } from '../http/multipart.ts'
import { formatSize, t } from '../messages.ts'
import { type Item, readTree, unreadable } from '../zip/tree.ts'
import { makePackage } from './package.ts'
import { checkWithServerRule } from './registration.ts'

/** The symbols of one request: a file, or files to be zipped. */
export type SymbolBatch = { filename: string; path: string } | { items: Item[] }

/**
 * Reads and checks symbols before anything is sent. A folder is split into as many requests as
 * needed.
 */
export function findSymbols(path: string): SymbolBatch[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw unreadable(path, { code: 'ENOENT' })
  if (stats.isDirectory()) return fromFolder(path)
  if (/\.sym$/i.test(path)) checkModule(path, basename(path), stats.size)
  else if (!/\.zip$/i.test(path)) throw new UsageError(t('symbols-kind', { path }))
  if (stats.size === 0 || stats.size > symbolLimits.max_upload_bytes)
    throw new UsageError(
      t('symbols-upload-size', {
        path,
        size: formatSize(stats.size),
        max: formatSize(symbolLimits.max_upload_bytes),
      }),
    )
  return [{ filename: basename(path), path }]
}

function fromFolder(path: string): SymbolBatch[] {
  const { items } = readTree(path, [], (name, stats) => stats.isFile() && /\.sym$/i.test(name))
  if (items.length === 0) throw new UsageError(t('symbols-none', { path }), t('symbols-none-hint'))
  for (const { source, path: name, size } of items) checkModule(source, name, size)
  const batches: Item[][] = [[]]
  let batch_bytes = 0
  for (const item of items) {
    const zipped_bytes = item.size + 256 + Buffer.byteLength(item.path) * 2
    if (
      batches.at(-1)!.length === symbolLimits.max_files ||
      (batch_bytes + zipped_bytes > symbolLimits.max_upload_bytes && batch_bytes > 0)
    ) {
      batches.push([])
      batch_bytes = 0
    }
    batches.at(-1)!.push(item)
    batch_bytes += zipped_bytes
  }
  return batches.map((items) => ({ items }))
}

function checkModule(path: string, name: string, size: number) {
  if (size > symbolLimits.max_file_bytes)
    throw new UsageError(
      t('symbols-file-size', {
        path: name,
        size: formatSize(size),
        max: formatSize(symbolLimits.max_file_bytes),
      }),
    )
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(symbolLimits.max_line)
    const line = head.toString('utf8', 0, readSync(file, head, 0, head.length, 0)).split('\n')[0]!
    checkWithServerRule(() => readModuleLine(line, name))
  } finally {
    closeSync(file)
  }
}

export async function uploadSymbols(
  api: Api,
  build_id: string,
  batches: readonly SymbolBatch[],
): Promise<Data[]> {
  const stored: Data[] = []
  for (const batch of batches) {
    const { path, filename, size, checksum } = await preparePackage(batch, api)
    const progress = api.ui.progress(t('progress-symbols'), size)
    const fields = Object.entries({ build_id, checksum }).map(([name, value]) => ({ name, value }))
    const body = multipart([...fields, { name: 'file', filename, path, start: 0, length: size }])
    const data = await api.send({
      method: 'POST',
      to: 'upload',
      path: '/tool/upload/symbols',
      body,
      onSent: progress.at,
    })
    progress.end()
    stored.push(...(Array.isArray(data.symbols) ? data.symbols.filter(isObject) : []))
  }
  const files = t('count-symbol-files', { count: stored.length })
  api.ui.note(t('symbols-uploaded', { files }))
  return stored
}

async function preparePackage(
  batch: SymbolBatch,
  api: Api,
): Promise<{ path: string; filename: string; size: number; checksum: string }> {
  if ('items' in batch)
    return makePackage(batch.items, 'symbols.zip', api, symbolLimits.max_upload_bytes)
  const hash = createHash('sha256')
  for await (const block of createReadStream(batch.path) as AsyncIterable<Buffer>) {
    api.signal.throwIfAborted()
    hash.update(block)
  }
  return { ...batch, size: statSync(batch.path).size, checksum: hash.digest('hex') }
}
