import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { Analysed, SymbolPaths } from './analyze.ts'
import type { Asked, Told } from './stackwalk-thread.ts'

const MIB = 1024 * 1024
/** A dump that asks for more than this is not worth more: it says so itself in the report. */
const WALK_MS = 30_000
const WALK_MIB = 768
const MOST_SYMBOL_BYTES = 2048 * MIB
export const WALK_FOLDER = 'walks'

export type SymbolFile = { debug_id: string; key: string; size: number }
export type Walked = Analysed | { refused: string }

/** Walks a dump in a thread of its own, which is ended when it takes too long or too much. */
export async function walkDump(
  core: Core,
  dump: Uint8Array<ArrayBuffer>,
  symbols: SymbolFile[],
  signal: AbortSignal,
): Promise<Walked> {
  const folder = join(core.config.data_dir, WALK_FOLDER, uuidv7())
  const worker = new Worker(new URL('./stackwalk-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: WALK_MIB },
  })
  const end = () => void worker.terminate()
  signal.addEventListener('abort', end, { once: true })
  try {
    const named = await ask(worker, { bytes: dump }, [dump.buffer])
    if (!('debug_ids' in named)) return refusedBy(named)
    const paths = await fetchSymbols(
      core,
      folder,
      chooseSymbols(symbols, new Set(named.debug_ids)),
      signal,
    )
    const told = await ask(worker, { paths })
    return 'analysed' in told ? told.analysed : refusedBy(told)
  } finally {
    signal.removeEventListener('abort', end)
    await worker.terminate()
    await rm(folder, { recursive: true, force: true })
    signal.throwIfAborted()
  }
}

function refusedBy(told: Told): { refused: string } {
  if ('no_dump' in told) return { refused: `The dump could not be read: ${told.no_dump}` }
  throw new Error('trouble' in told ? told.trouble : 'the walk gave no answer')
}

async function ask(worker: Worker, asked: Asked, transfer: ArrayBuffer[] = []): Promise<Told> {
  const late = setTimeout(() => void worker.terminate(), WALK_MS)
  const ended = Promise.withResolvers<Told>()
  const end = () =>
    ended.resolve({
      no_dump: `it took more than ${WALK_MS / 1000} seconds or ${WALK_MIB} MB to walk`,
    })
  worker.once('exit', end)
  try {
    worker.postMessage(asked, transfer)
    return await Promise.race([
      once(worker, 'message').then(([told]) => told as Told),
      ended.promise,
    ])
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return { no_dump: `it took more than ${WALK_MIB} MB to walk` }
    throw error
  } finally {
    clearTimeout(late)
    worker.off('exit', end)
  }
}

function chooseSymbols(symbols: SymbolFile[], wanted: Set<string>): SymbolFile[] {
  let bytes = 0
  return symbols.filter(({ debug_id, size }) => {
    if (!wanted.has(debug_id) || bytes + size > MOST_SYMBOL_BYTES) return false
    bytes += size
    return true
  })
}

/** Next to the thread, which jumps about in them. */
async function fetchSymbols(
  core: Core,
  folder: string,
  symbols: SymbolFile[],
  signal: AbortSignal,
): Promise<SymbolPaths> {
  const paths: SymbolPaths = Object.create(null)
  if (symbols.length) await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [i, { debug_id, key }] of symbols.entries()) {
    const found = await core.storage.get(key)
    if (!found) continue
    const path = join(folder, `${i}.sym`)
    await pipeline(found.stream, createWriteStream(path), { signal })
    paths[debug_id] = path
  }
  return paths
}
