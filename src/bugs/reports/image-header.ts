import { MIB } from '../../core/runtime/units.ts'

/**
 * Reads the type and the dimensions of an image from its first bytes. Screenshots are never
 * decoded, only stored and served as they were sent. So it is enough that browsers can show the
 * type and that the image would not fill the memory of whoever opens it.
 */
export const screenshotEndings = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
} as const
export type ScreenshotType = keyof typeof screenshotEndings
export type ImageHeader = { type: ScreenshotType; width: number; height: number }

/** The dimensions must be within this many bytes; no camera or editor puts more before them. */
export const HEADER_BYTES = MIB
/** Twelve 4K screens. */
export const MAX_PIXELS = 100e6

export function readImageHeader(bytes: Buffer): ImageHeader | null {
  for (const read of [readPng, readJpeg, readWebp]) {
    const header = read(bytes)
    if (header) return header.width > 0 && header.height > 0 ? header : null
  }
  return null
}

function readPng(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 33 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null
  // The first chunk is always the header, and always 13 bytes.
  if (bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/**
 * Markers without a length, and those that begin or end an image: there is nothing to skip after
 * them, and no frame may follow.
 */
const isStandalone = (marker: number) => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xda)

/** Frames have the dimensions; the other markers of their range are tables. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function readJpeg(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!
    if (marker === 0xff) at += 1
    else if (isFrame(marker))
      return {
        type: 'image/jpeg',
        height: bytes.readUInt16BE(at + 5),
        width: bytes.readUInt16BE(at + 7),
      }
    else {
      const length = bytes.readUInt16BE(at + 2)
      if (length < 2 || isStandalone(marker)) return null
      at += 2 + length
    }
  }
  return null
}

function readWebp(bytes: Buffer): ImageHeader | null {
  if (
    bytes.length < 30 ||
    bytes.toString('latin1', 0, 4) !== 'RIFF' ||
    bytes.toString('latin1', 8, 12) !== 'WEBP'
  )
    return null
  const type = 'image/webp'
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8X')
    return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21)
    return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (kind === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  return null
}
