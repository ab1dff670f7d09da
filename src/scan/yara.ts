import { Worker } from 'node:worker_threads'
import { ScanFailed, ScannerUnavailable, type Segment } from './scanner.ts'
import type { ScanReply, ScanRequest, ThreadRules } from './yara-thread.ts'

const REPLY_TIMEOUT_MS = 120_000

type Pending = { resolve: (reply: ScanReply) => void; reject: (error: Error) => void }
type Thread = { worker: Worker; pending: Map<number, Pending> }

export type Yara = {
  /** The matching rules of each segment. */
  scan: (segments: readonly Segment[]) => Promise<string[][]>
  /** Whether the thread runs and waits for work. */
  isIdle: () => boolean
  close: () => Promise<void>
}

/** YARA in a thread, started on first use. After a crash the next scan starts a new one. */
export function openYara(rules: ThreadRules): Yara {
  let thread: Thread | undefined
  let last_id = 0

  function startedThread(): Thread {
    if (thread) return thread
    const worker = new Worker(new URL('./yara-thread.ts', import.meta.url), { workerData: rules })
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

  return {
    async scan(segments) {
      const lengths = segments.map(({ bytes }) => bytes.length)
      const bytes = join(segments)
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
    },
    isIdle: () => thread !== undefined && thread.pending.size === 0,
    async close() {
      await thread?.worker.terminate()
    },
  }
}

/** Joins the segments in a new buffer, which is transferred to the thread without another copy. */
function join(segments: readonly Segment[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(segments.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let position = 0
  for (const { bytes } of segments) {
    joined.set(bytes, position)
    position += bytes.length
  }
  return joined
}
