import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { Compiler, initSync } from '@virustotal/yara-x'

/**
 * The rules of the thread: by default those of the embedded scanner. `separately` scans each part
 * alone, for rules whose result depends on the whole part.
 */
export type ThreadRules = { rules?: string; separately?: boolean }
export type ScanRequest = { id: number; bytes: Uint8Array; lengths: number[] }
/** The matching rules of each part. */
export type ScanReply = { id: number; threats: string[][] } | { id: number; error: string }

type Result = { valid: boolean; errors: string[]; matches: { identifier: string }[] }
const SCAN_MS = 60_000

initSync({
  module: readFileSync(
    fileURLToPath(
      import.meta.resolve('@virustotal/yara-x').replace('yara_x_js.js', 'yara_x_js_bg.wasm'),
    ),
  ),
})
const { rules, separately = false } = workerData as ThreadRules
const compiler = new Compiler()
let rule_error: string | undefined
try {
  compiler.addSource(rules ?? readFileSync(new URL('./rules.yar', import.meta.url), 'utf8'))
} catch (error) {
  rule_error = (error as Error).message
}
const scanner = compiler.build().scanner()
scanner.setMaxMatchesPerPattern(1)
scanner.setTimeoutMs(SCAN_MS)

function scan(bytes: Uint8Array): string[] {
  if (rule_error !== undefined) throw new Error(rule_error)
  const { valid, errors, matches } = scanner.scan(bytes) as Result
  if (!valid) throw new Error(errors.join('; ') || 'the scan returned no result')
  return matches.map(({ identifier }) => identifier)
}

/**
 * A scan takes about 25 ms however small it is, so small files are scanned together. Only if that
 * finds something is each file scanned alone, which names the file and avoids matches across two
 * files.
 */
function scanParts(bytes: Uint8Array, lengths: number[]): string[][] {
  if (!separately && scan(bytes).length === 0) return lengths.map(() => [])
  let position = 0
  return lengths.map((length) => {
    position += length
    return scan(bytes.subarray(position - length, position))
  })
}

parentPort!.on('message', ({ id, bytes, lengths }: ScanRequest) => {
  let reply: ScanReply
  try {
    reply = { id, threats: scanParts(bytes, lengths) }
  } catch (error) {
    reply = { id, error: (error as Error).message }
  }
  parentPort!.postMessage(reply)
})
