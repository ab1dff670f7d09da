import { parentPort } from 'node:worker_threads'
import { type Analysed, analyseDump, isNoDump, type SymbolPaths } from './analyze.ts'
import { readMinidump } from './minidump.ts'

export type Asked = { bytes: Uint8Array } | { paths: SymbolPaths }
export type Told =
  | { debug_ids: string[] }
  | { analysed: Analysed }
  | { no_dump: string }
  | { trouble: string }

let bytes: Buffer = Buffer.alloc(0)

/** First which modules the dump names, so that only their symbols are fetched; then the walk. */
function answer(asked: Asked): Told {
  if ('paths' in asked) return { analysed: analyseDump(bytes, asked.paths) }
  bytes = Buffer.from(asked.bytes.buffer, asked.bytes.byteOffset, asked.bytes.byteLength)
  return {
    debug_ids: [...new Set(readMinidump(bytes).modules.map(({ debug_id }) => debug_id))].filter(
      Boolean,
    ),
  }
}

parentPort!.on('message', (asked: Asked) => {
  let told: Told
  try {
    told = answer(asked)
  } catch (error) {
    told = isNoDump(error)
      ? { no_dump: error.message }
      : { trouble: String((error as Error).stack) }
  }
  parentPort!.postMessage(told)
})
