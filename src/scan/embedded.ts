import { Worker } from 'node:worker_threads'
import { KIB, MIB } from '../core/runtime/units.ts'
import { ScanFailed, type Scanner, ScannerUnavailable, type Segment } from './scanner.ts'
import type { ScanReply, ScanRequest } from './yara-thread.ts'

const REPLY_TIMEOUT_MS = 120_000

type Pending = { resolve: (reply: ScanReply) => void; reject: (error: Error) => void }
type Thread = { worker: Worker; pending: Map<number, Pending> }

let thread: Thread | undefined
let last_id = 0

/** One thread per process, started on first use. After a crash the next scan starts a new one. */
function startedThread(): Thread {
  if (thread) return thread
  const worker = new Worker(new URL('./yara-thread.ts', import.meta.url))
  const started: Thread = { worker, pending: new Map() }
  const onEnd = (error: Error) => {
    if (thread === started) thread = undefined
    for (const { reject } of started.pending.values())
      reject(new ScannerUnavailable(`the scanner thread ended: ${error.message}`))
    started.pending.clear()
  }
  worker.on('message', (reply: ScanReply) => {
    started.pending.get(reply.id)?.resolve(reply)
    started.pending.delete(reply.id)
  })
  worker.on('error', onEnd)
  worker.on('exit', () => onEnd(new Error('exit')))
  worker.unref()
  thread = started
  return started
}

async function scanInThread(
  bytes: Uint8Array<ArrayBuffer>,
  lengths: number[],
): Promise<string[][]> {
  const { worker, pending } = startedThread()
  const id = ++last_id
  const { promise, resolve, reject } = Promise.withResolvers<ScanReply>()
  pending.set(id, { resolve, reject })
  const timeout = setTimeout(() => void worker.terminate(), REPLY_TIMEOUT_MS)
  try {
    worker.postMessage({ id, bytes, lengths } satisfies ScanRequest, [bytes.buffer])
    const reply = await promise
    if ('error' in reply) throw new ScanFailed(reply.error)
    return reply.threats
  } finally {
    clearTimeout(timeout)
  }
}

/** Joins the segments in a new buffer, which is transferred to the thread without another copy. */
function join(segments: Segment[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(segments.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let position = 0
  for (const { bytes } of segments) {
    joined.set(bytes, position)
    position += bytes.length
  }
  return joined
}

/** Our own rules with YARA-X (WebAssembly), in a thread so that it does not block the process. */
export const embeddedScanner: Scanner = {
  engine: 'embedded',
  window: 16 * MIB,
  overlap: 64 * KIB,
  async scan(segments) {
    const lengths = segments.map(({ bytes }) => bytes.length)
    const threats = await scanInThread(join(segments), lengths)
    return segments.flatMap(({ path }, index) =>
      threats[index]!.map((threat) => ({ path, threat })),
    )
  },
  /**
   * A thread that has not started counts as healthy: starting it takes seconds and a hundred
   * megabytes. So does a busy one.
   */
  async probe() {
    if (thread && thread.pending.size === 0) await scanInThread(new Uint8Array(1), [1])
  },
}
