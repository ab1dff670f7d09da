import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startProgram } from '../../core/security/start-program.ts'
import type { Compression } from './compress.ts'
import type { Segment } from './format.ts'

const PROGRAM = join(import.meta.dirname, 'compress-program.ts')
/** What JavaScript may use of memory; that of the compressor is bounded by the size of segments. */
const MAX_HEAP_MIB = 128
const MAX_ERROR_CHARS = 2000

export type Compressor = {
  pid: number
  compress: (request: Compression) => Promise<Segment[]>
  stop: () => void
}

/** The program that compresses, for one patch. It ends with the signal. */
export async function startCompressor(signal: AbortSignal): Promise<Compressor> {
  const child = await startProgram([`--max-old-space-size=${MAX_HEAP_MIB}`, PROGRAM], { signal })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_CHARS)
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('close', (code, by_signal) =>
      reject(new Error(`the program for patches ended (${code ?? by_signal}): ${errors.trim()}`)),
    )
  })
  // It also ends when it is stopped, and nobody waits then.
  ended.catch(() => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid!,
    async compress(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      const { value, done } = await Promise.race([lines.next(), ended])
      return done ? await ended : (JSON.parse(value) as Segment[])
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
