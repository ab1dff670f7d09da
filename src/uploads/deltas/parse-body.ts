import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { limitConcurrency } from '../../core/runtime/concurrency.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { KIB } from '../../core/runtime/units.ts'
import type { ParsedBody } from './parse-thread.ts'

/** A longer body takes more than 10 ms to parse, and the largest more than a second. */
const MAX_PARSED_HERE = 512 * KIB
const HEAP_MIB = 768
/** Each needs memory for several times the body. */
const runOneByOne = limitConcurrency(1)

type Body = Record<string, unknown>
const malformed = () => refuse('MALFORMED', undefined, 'body: send a JSON object')

/** Parses a request with a list of entries, without keeping other requests waiting. */
export async function parseBody(bytes: Buffer, max_entries: number): Promise<Body> {
  if (bytes.length > MAX_PARSED_HERE) return runOneByOne(() => parseInThread(bytes, max_entries))
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (value && typeof value === 'object' && !Array.isArray(value)) return value as Body
  } catch {
    // Refused below.
  }
  return malformed()
}

/** Whether nothing else is in the memory of the bytes, so that the thread can take it over. */
const isWhole = (bytes: Buffer): bytes is Buffer<ArrayBuffer> =>
  bytes.byteLength === bytes.buffer.byteLength

/** The entries come back in batches, because copying all of them at once takes as long as parsing. */
async function parseInThread(bytes: Buffer, max_entries: number): Promise<Body> {
  const worker = new Worker(new URL('./parse-thread.ts', import.meta.url), {
    workerData: bytes,
    transferList: isWhole(bytes) ? [bytes.buffer] : [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  })
  try {
    const [parsed] = (await once(worker, 'message')) as [ParsedBody]
    if ('malformed' in parsed) return malformed()
    const { fields, count } = parsed
    // More are refused by their number, and need not be read.
    if (count > max_entries) return { ...fields, entries: new Array(count) }
    if (!count) return { ...fields, entries: parsed.entries }
    const entries: unknown[] = []
    while (entries.length < count) {
      worker.postMessage('next')
      const [batch] = (await once(worker, 'message')) as [unknown[]]
      entries.push(...batch)
    }
    return { ...fields, entries }
  } catch (error) {
    // What needs more memory than any list of entries is none.
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return malformed()
    throw error
  } finally {
    void worker.terminate()
  }
}
