import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { Compiler, initSync } from '@virustotal/yara-x'

export type Asked = { id: number; bytes: Uint8Array; lengths: number[] }
/** For each part, the rules that hold for it. */
export type Told = { id: number; threats: string[][] } | { id: number; trouble: string }

type Result = { valid: boolean; errors: string[]; matches: { identifier: string }[] }
const SCAN_MS = 60_000

initSync({
  module: readFileSync(
    fileURLToPath(
      import.meta.resolve('@virustotal/yara-x').replace('yara_x_js.js', 'yara_x_js_bg.wasm'),
    ),
  ),
})
const compiler = new Compiler()
compiler.addSource(readFileSync(new URL('./rules.yar', import.meta.url), 'utf8'))
const scanner = compiler.build().scanner()
scanner.setMaxMatchesPerPattern(1)
scanner.setTimeoutMs(SCAN_MS)

function scan(bytes: Uint8Array): string[] {
  const { valid, errors, matches } = scanner.scan(bytes) as Result
  if (!valid) throw new Error(errors.join('; ') || 'the scan gave no result')
  return matches.map(({ identifier }) => identifier)
}

/**
 * A scan costs the same 25 ms however small, so small files are looked at together. Only where something is found in the heap is each
 * looked at alone: that names the file, and strings of two files are not taken for one.
 */
function scanParts(bytes: Uint8Array, lengths: number[]): string[][] {
  if (scan(bytes).length === 0) return lengths.map(() => [])
  let at = 0
  return lengths.map((length) => {
    at += length
    return scan(bytes.subarray(at - length, at))
  })
}

parentPort!.on('message', ({ id, bytes, lengths }: Asked) => {
  let told: Told
  try {
    told = { id, threats: scanParts(bytes, lengths) }
  } catch (error) {
    told = { id, trouble: (error as Error).message }
  }
  parentPort!.postMessage(told)
})
