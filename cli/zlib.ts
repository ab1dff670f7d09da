// In the bundle, this file replaces node:zlib: the first releases of Node 20 have no crc32, and
// importing a missing name would end the program before it starts. What they lack of zstd is
// undefined; patches are used only where it works.
// biome-ignore lint/style/useNodejsImportProtocol: with the prefix it would import itself
import zlib from 'zlib'
import { slowCrc32 } from './zip/crc32.ts'

export const {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  createInflateRaw,
  deflateRawSync,
  gzipSync,
  inflateRawSync,
  zstdDecompress,
  zstdDecompressSync,
} = zlib
/** Missing in Node 20. */
export const { createZstdCompress, zstdCompressSync } = zlib
export const crc32: (bytes: Uint8Array, before?: number) => number = zlib.crc32 ?? slowCrc32
