import { Worker } from 'node:worker_threads'
import { ScanFailed, type Scanner, ScannerAway, type Segment } from './scanner.ts'
import type { Asked, Told } from './yara-thread.ts'

const MIB = 1024 * 1024
const ANSWER_MS = 120_000

type Waiting = { settle: (told: Told) => void; away: (error: Error) => void }
type Thread = { worker: Worker; waiting: Map<number, Waiting> }

let thread: Thread | undefined
let asked = 0

/** One thread a process, started when first needed; one that died is started anew by whoever asks next. */
function running(): Thread {
  if (thread) return thread
  const worker = new Worker(new URL('./yara-thread.ts', import.meta.url))
  const mine: Thread = { worker, waiting: new Map() }
  const gone = (error: Error) => {
    if (thread === mine) thread = undefined
    for (const { away } of mine.waiting.values())
      away(new ScannerAway(`the scanner thread ended: ${error.message}`))
    mine.waiting.clear()
  }
  worker.on('message', (told: Told) => {
    mine.waiting.get(told.id)?.settle(told)
    mine.waiting.delete(told.id)
  })
  worker.on('error', gone)
  worker.on('exit', () => gone(new Error('exit')))
  worker.unref()
  thread = mine
  return mine
}

async function ask(bytes: Uint8Array<ArrayBuffer>, lengths: number[]): Promise<string[][]> {
  const { worker, waiting } = running()
  const id = ++asked
  const { promise, resolve, reject } = Promise.withResolvers<Told>()
  waiting.set(id, { settle: resolve, away: reject })
  const late = setTimeout(() => void worker.terminate(), ANSWER_MS)
  try {
    worker.postMessage({ id, bytes, lengths } satisfies Asked, [bytes.buffer])
    const told = await promise
    if ('trouble' in told) throw new ScanFailed(told.trouble)
    return told.threats
  } finally {
    clearTimeout(late)
  }
}

/** A copy of its own, which moves to the thread instead of being copied there. */
function joined(segments: Segment[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(segments.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let at = 0
  for (const { bytes } of segments) {
    whole.set(bytes, at)
    at += bytes.length
  }
  return whole
}

/** Our own rules over YARA-X, compiled to WebAssembly, in a thread so that nothing else waits for it. */
export const embeddedScanner: Scanner = {
  engine: 'embedded',
  window: 16 * MIB,
  overlap: 64 * 1024,
  async scan(segments) {
    const threats = await ask(
      joined(segments),
      segments.map(({ bytes }) => bytes.length),
    )
    return segments.flatMap(({ path }, index) =>
      threats[index]!.map((threat) => ({ path, threat })),
    )
  },
  /** Not running it costs nothing and starts when needed, a hundred megabytes and some seconds later; at work it is well. */
  async probe() {
    if (thread && thread.waiting.size === 0) await ask(new Uint8Array(1), [1])
  },
}
