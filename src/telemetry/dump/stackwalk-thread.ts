import { parentPort } from 'node:worker_threads'
import { analyzeDump, type DumpAnalysis, isUnreadableDump, type SymbolPaths } from './analyze.ts'
import { readMinidump } from './minidump.ts'

/** First the dump, to learn which symbols it needs; then the paths of those symbols. */
export type StackwalkRequest = { bytes: Uint8Array } | { paths: SymbolPaths }
export type StackwalkResponse =
  | { debug_ids: string[] }
  | { result: DumpAnalysis }
  | { unreadable: string }
  | { fault: string }

let dump: Buffer = Buffer.alloc(0)

function handle(request: StackwalkRequest): StackwalkResponse {
  if ('paths' in request) return { result: analyzeDump(dump, request.paths) }
  const { buffer, byteOffset, byteLength } = request.bytes
  dump = Buffer.from(buffer, byteOffset, byteLength)
  const debug_ids = new Set(readMinidump(dump).modules.map(({ debug_id }) => debug_id))
  return { debug_ids: [...debug_ids].filter(Boolean) }
}

function handleSafely(request: StackwalkRequest): StackwalkResponse {
  try {
    return handle(request)
  } catch (error) {
    return isUnreadableDump(error)
      ? { unreadable: error.message }
      : { fault: String((error as Error).stack) }
  }
}

parentPort!.on('message', (request: StackwalkRequest) => {
  parentPort!.postMessage(handleSafely(request))
})
