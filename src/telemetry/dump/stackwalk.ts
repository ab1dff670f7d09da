import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import type { Core } from '../../core/runtime/core.ts'
import { MIB } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { DumpAnalysis, SymbolPaths } from './analyze.ts'
import type { StackwalkRequest, StackwalkResponse } from './stackwalk-thread.ts'

/** A dump that needs more time or memory is reported as unreadable. */
const MAX_MS = 30_000
const MAX_MIB = 768
const MAX_SYMBOL_BYTES = 2048 * MIB
export const STACKWALK_FOLDER = 'walks'

export type SymbolFile = { debug_id: string; key: string; size: number }
export type StackwalkResult = DumpAnalysis | { unreadable: string }

/** Walks the stacks of a dump in a worker thread, which is terminated at its limits. */
export async function walkDump(
  core: Core,
  dump: Uint8Array<ArrayBuffer>,
  symbols: SymbolFile[],
  signal: AbortSignal,
): Promise<StackwalkResult> {
  const folder = join(core.config.data_dir, STACKWALK_FOLDER, uuidv7())
  const worker = new Worker(new URL('./stackwalk-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_MIB },
  })
  const terminate = () => void worker.terminate()
  signal.addEventListener('abort', terminate, { once: true })
  try {
    const opened = await request(worker, { bytes: dump }, [dump.buffer])
    if (!('debug_ids' in opened)) return unreadable(opened)
    const needed = selectSymbols(symbols, new Set(opened.debug_ids))
    const paths = await fetchSymbols(core, folder, needed, signal)
    const walked = await request(worker, { paths })
    return 'result' in walked ? walked.result : unreadable(walked)
  } finally {
    signal.removeEventListener('abort', terminate)
    await worker.terminate()
    await rm(folder, { recursive: true, force: true })
    signal.throwIfAborted()
  }
}

function unreadable(response: StackwalkResponse): { unreadable: string } {
  if ('unreadable' in response)
    return { unreadable: `The dump could not be read: ${response.unreadable}` }
  throw new Error('fault' in response ? response.fault : 'unexpected response of the stack walk')
}

async function request(
  worker: Worker,
  message: StackwalkRequest,
  transfer: ArrayBuffer[] = [],
): Promise<StackwalkResponse> {
  const timer = setTimeout(() => void worker.terminate(), MAX_MS)
  const exited = Promise.withResolvers<StackwalkResponse>()
  const onExit = () =>
    exited.resolve({
      unreadable: `the stack walk exceeded ${MAX_MS / 1000} seconds or ${MAX_MIB} MB`,
    })
  worker.once('exit', onExit)
  try {
    worker.postMessage(message, transfer)
    return await Promise.race([
      once(worker, 'message').then(([response]) => response as StackwalkResponse),
      exited.promise,
    ])
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return { unreadable: `the stack walk exceeded ${MAX_MIB} MB` }
    throw error
  } finally {
    clearTimeout(timer)
    worker.off('exit', onExit)
  }
}

function selectSymbols(symbols: SymbolFile[], debug_ids: Set<string>): SymbolFile[] {
  let bytes = 0
  return symbols.filter(({ debug_id, size }) => {
    if (!debug_ids.has(debug_id) || bytes + size > MAX_SYMBOL_BYTES) return false
    bytes += size
    return true
  })
}

/** Copies symbol files to local disk, because the stack walk reads them at random positions. */
async function fetchSymbols(
  core: Core,
  folder: string,
  symbols: SymbolFile[],
  signal: AbortSignal,
): Promise<SymbolPaths> {
  const paths: SymbolPaths = Object.create(null)
  if (symbols.length) await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [i, { debug_id, key }] of symbols.entries()) {
    const file = await core.storage.get(key)
    if (!file) continue
    const path = join(folder, `${i}.sym`)
    await pipeline(file.stream, createWriteStream(path), { signal })
    paths[debug_id] = path
  }
  return paths
}
