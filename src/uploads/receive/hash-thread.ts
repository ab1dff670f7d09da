import { parentPort } from 'node:worker_threads'
import { createSHA256 } from 'hash-wasm'

/** `id` names a hash, which begins with the state of an earlier one or anew. */
export type HashRequest =
  | { id: number; begin: Uint8Array | null }
  | { id: number; block: ArrayBuffer; length: number }
  | { id: number; end: true }
  | { id: number; drop: true }
export type HashMessage =
  /** A block whose bytes are hashed, to be used again. */
  { id: number; block: ArrayBuffer } | { id: number; result: HashResult }
/** The state is that before the digest: more bytes can follow it. */
export type HashResult = { state: Uint8Array; digest: string }

const port = parentPort!
const states = new Map<number, Uint8Array>()
const sha256 = await createSHA256()

port.on('message', (request: HashRequest) => {
  const { id } = request
  if ('begin' in request) states.set(id, request.begin ?? sha256.init().save())
  else if ('block' in request) hashBlock(id, request.block, request.length)
  else {
    if ('end' in request) sendResult(id)
    states.delete(id)
  }
})

function hashBlock(id: number, block: ArrayBuffer, length: number) {
  sha256.load(states.get(id)!)
  sha256.update(new Uint8Array(block, 0, length))
  states.set(id, sha256.save())
  port.postMessage({ id, block } satisfies HashMessage, [block])
}

function sendResult(id: number) {
  const state = states.get(id)!
  sha256.load(state)
  const result = { state, digest: sha256.digest('hex') }
  port.postMessage({ id, result } satisfies HashMessage)
}
