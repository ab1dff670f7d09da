import { Worker } from 'node:worker_threads'
import { MIB } from '../../core/runtime/units.ts'
import type { HashMessage, HashRequest, HashResult } from './hash-thread.ts'

/**
 * A SHA-256 whose state can be saved, so that any process can continue it. node:crypto cannot save
 * one, so this is hash-wasm, which takes eight times as long. It runs in a thread, so that the
 * bytes are hashed while others are received and sent (bench/s3-upload.ts).
 */
export type ThreadedHash = {
  /** Copies the bytes. Returns a promise if the caller must wait for the thread. */
  update: (bytes: Uint8Array) => Promise<void> | undefined
  end: () => Promise<HashResult>
  /** Gives up the hash, unless it has ended. */
  close: () => void
}

const BLOCK_BYTES = MIB
/** How many blocks of a hash may wait for the thread. */
const MAX_WAITING = 8
const MAX_SPARE = 16
const HEAP_MB = 64

/** The calls that wait for the thread, by hash. */
type Waiting = { blocks: number; next?: PromiseWithResolvers<void>; result?: Ended }
type Ended = PromiseWithResolvers<HashResult>
type HashThread = { worker: Worker; waiting: Map<number, Waiting>; failure?: Error }

let current: HashThread | undefined
let last_id = 0
const spare: ArrayBuffer[] = []

/** The thread could not be started, for want of files or memory: the chunk can be sent again. */
class ThreadNotStarted extends Error {
  readonly code = 'ERR_WORKER_INIT_FAILED'
}

/** One thread for all uploads of the process. It starts with the first. */
function startThread(): HashThread {
  const worker = new Worker(new URL('./hash-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  worker.unref()
  const thread: HashThread = { worker, waiting: new Map() }
  let has_answered = false
  const fail = (error: Error) => {
    const failure = has_answered ? error : new ThreadNotStarted(error.message, { cause: error })
    if (current === thread) current = undefined
    thread.failure ??= failure
    for (const { next, result } of thread.waiting.values()) {
      next?.reject(failure)
      result?.reject(failure)
    }
    thread.waiting.clear()
  }
  worker.on('message', (message: HashMessage) => {
    has_answered = true
    receive(thread, message)
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that hashes uploads ended')))
  return thread
}

/** The thread keeps the process running only while a hash is open. */
function forget({ waiting, worker }: HashThread, id: number): boolean {
  const is_open = waiting.delete(id)
  if (waiting.size === 0) worker.unref()
  return is_open
}

function receive(thread: HashThread, message: HashMessage) {
  const hash = thread.waiting.get(message.id)
  if ('result' in message) {
    forget(thread, message.id)
    return hash?.result?.resolve(message.result)
  }
  if (spare.length < MAX_SPARE) spare.push(message.block)
  if (!hash) return
  hash.blocks--
  hash.next?.resolve()
  delete hash.next
}

export function beginHash(state: Uint8Array | null): ThreadedHash {
  current ??= startThread()
  const thread = current
  const id = ++last_id
  const waiting: Waiting = { blocks: 0 }
  const send = (request: HashRequest, transfer: ArrayBuffer[] = []) => {
    if (thread.failure) throw thread.failure
    thread.worker.postMessage(request, transfer)
  }
  // It fails without memory; then the thread has no such hash.
  send({ id, begin: state })
  thread.waiting.set(id, waiting)
  thread.worker.ref()
  let block: Uint8Array<ArrayBuffer> | undefined
  let filled = 0

  function sendBlock() {
    if (!block) return
    send({ id, block: block.buffer, length: filled }, [block.buffer])
    waiting.blocks++
    block = undefined
    filled = 0
  }
  async function updateLater(bytes: Uint8Array): Promise<void> {
    waiting.next ??= Promise.withResolvers()
    await waiting.next.promise
    await update(bytes)
  }
  function update(bytes: Uint8Array): Promise<void> | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (!block && waiting.blocks >= MAX_WAITING) return updateLater(bytes.subarray(at))
      block ??= new Uint8Array(spare.pop() ?? new ArrayBuffer(BLOCK_BYTES))
      const count = Math.min(bytes.length - at, BLOCK_BYTES - filled)
      block.set(bytes.subarray(at, at + count), filled)
      filled += count
      at += count
      if (filled === BLOCK_BYTES) sendBlock()
    }
    return undefined
  }
  return {
    update,
    async end() {
      sendBlock()
      waiting.result = Promise.withResolvers()
      send({ id, end: true })
      return waiting.result.promise
    },
    close() {
      if (!forget(thread, id) || waiting.result || thread.failure) return
      try {
        send({ id, drop: true })
      } catch {
        // Without memory for the message, the thread keeps the few bytes of the hash.
      }
    },
  }
}
