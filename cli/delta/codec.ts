import type { Transform } from 'node:stream'
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createZstdCompress,
  zstdCompressSync,
} from 'node:zlib'
import type { Codec } from '../../src/uploads/deltas/format.ts'

/** The best of this release of Node: Node 20 has no zstd. */
export const bestCodec = (): Codec => (typeof createZstdCompress === 'function' ? 'zstd' : 'brotli')

const BROTLI_QUALITY = 6
const BROTLI_WINDOW = 24
const ZSTD_LEVEL = 12
const ZSTD_WINDOW_LOG = 26

const brotliOptions = () => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW,
  },
})
const zstdOptions = () => ({
  params: {
    [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL,
    [constants.ZSTD_c_windowLog]: ZSTD_WINDOW_LOG,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
})

export const createCompressor = (codec: Codec): Transform =>
  codec === 'zstd' ? createZstdCompress(zstdOptions()) : createBrotliCompress(brotliOptions())

export const compress = (codec: Codec, bytes: Buffer): Buffer =>
  codec === 'zstd'
    ? zstdCompressSync(bytes, zstdOptions())
    : brotliCompressSync(bytes, brotliOptions())
