import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { treeHash, writePrefix } from '../../../src/uploads/deltas/format.ts'

/** A delta of one file that refers to nothing in the store. */
export const deltaOfNewBytes = (bytes: Buffer) => deltaOf(bytes, brotliCompressSync(bytes))

/** The same, but the part with the new bytes is missing. */
export const withoutNewBytes = (bytes: Buffer) => deltaOf(bytes, Buffer.alloc(0))

function deltaOf(bytes: Buffer, body: Buffer): Buffer {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const entry = { path: 'game', kind: 'file', executable: false, size: bytes.length, sha256 }
  return Buffer.concat([
    deltaWithHeader({ files: [], entries: [entry], tree_sha256: treeHash([entry]) }, body.length),
    body,
  ])
}

/** A delta without its new bytes. */
export function deltaWithHeader(header: object, new_length = 0): Buffer {
  const packed = brotliCompressSync(JSON.stringify(header))
  const lengths = { header_length: packed.length, new_length }
  return Buffer.concat([writePrefix({ codec: 'brotli', ...lengths }), packed])
}
