import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { writePrefix } from '../../../src/uploads/deltas/format.ts'

/** A delta of one file that refers to nothing in the store. */
export function deltaOfNewBytes(bytes: Buffer, path = 'game'): Buffer {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const entry = { path, kind: 'file', executable: false, size: bytes.length, sha256 }
  const header = brotliCompressSync(JSON.stringify({ files: [], entries: [entry] }))
  const body = brotliCompressSync(bytes)
  const lengths = { header_length: header.length, new_length: body.length }
  return Buffer.concat([writePrefix({ codec: 'brotli', ...lengths }), header, body])
}
