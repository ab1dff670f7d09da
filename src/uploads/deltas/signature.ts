import { createHash } from 'node:crypto'
import { chunkBoundaries, chunkSizes } from '../../builds/deltas/chunking.ts'

/**
 * The signature of a file: for each of its chunks the first bytes of its SHA-256, and its length
 * minus one in two bytes. The uploader finds in it which chunks of a new file the service has. It
 * is short because nothing is trusted to it: the composed entry is held to its own SHA-256.
 */
const HASH_BYTES = 8
const RECORD_BYTES = HASH_BYTES + 2

/** Entries below this size have too few chunks for a signature to be worth its bytes. */
export const MIN_SIGNED_BYTES = 2 * chunkSizes.average

type ChunkVisitor = (chunk: { hash: Buffer; length: number }) => void

/** Calls `visit` with every chunk of the bytes that `update` gets. */
function chunkHasher(visit: ChunkVisitor) {
  const boundaries = chunkBoundaries()
  let hash = createHash('sha256')
  let length = 0
  const end = () => {
    if (length > 0) visit({ hash: hash.digest().subarray(0, HASH_BYTES), length })
    hash = createHash('sha256')
    length = 0
  }
  return {
    update(data: Uint8Array) {
      for (let from = 0; from < data.length; ) {
        const cut = boundaries.next(data, from)
        const to = cut < 0 ? data.length : cut
        hash.update(data.subarray(from, to))
        length += to - from
        if (cut >= 0) end()
        from = to
      }
    },
    end,
  }
}

export const chunkHash = (chunk: Uint8Array) =>
  createHash('sha256').update(chunk).digest().subarray(0, HASH_BYTES)

export async function signatureOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const records: Buffer[] = []
  const hasher = chunkHasher(({ hash, length }) => {
    const record = Buffer.alloc(RECORD_BYTES)
    hash.copy(record)
    record.writeUInt16LE(length - 1, HASH_BYTES)
    records.push(record)
  })
  for await (const data of source) hasher.update(data)
  hasher.end()
  return Buffer.concat(records)
}

export type SignedChunks = {
  find: (hash: Buffer, length: number) => number | undefined
}

const keyOf = (hash: Buffer) => hash.toString('latin1')

/** Finds the offset of a chunk in the file that the signature is of. */
export function readSignature(signature: Buffer): SignedChunks {
  const chunks = new Map<string, { offset: number; length: number }>()
  let offset = 0
  for (let at = 0; at + RECORD_BYTES <= signature.length; at += RECORD_BYTES) {
    const length = signature.readUInt16LE(at + HASH_BYTES) + 1
    const key = keyOf(signature.subarray(at, at + HASH_BYTES))
    if (!chunks.has(key)) chunks.set(key, { offset, length })
    offset += length
  }
  return {
    find(hash, length) {
      const chunk = chunks.get(keyOf(hash))
      return chunk?.length === length ? chunk.offset : undefined
    },
  }
}
