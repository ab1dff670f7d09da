/**
 * What an image says of itself in its first bytes. Nothing is decoded here or anywhere: a screenshot is kept and handed on as it was sent, so
 * all that is asked is that it is an image of a kind browsers show, and not one that would fill the memory of whoever opens it.
 */
export const screenshotEndings = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
} as const
export type ScreenshotType = keyof typeof screenshotEndings
export type ImageHeader = { type: ScreenshotType; width: number; height: number }

/** Within this much of a file its dimensions must have been said; more than any camera or editor puts before them. */
export const HEADER_BYTES = 1024 * 1024
/** Twelve screens of 4K side by side. */
export const MAX_PIXELS = 100e6

export function readImageHeader(bytes: Buffer): ImageHeader | null {
  for (const read of [readPng, readJpeg, readWebp]) {
    const found = read(bytes)
    if (found) return found.width > 0 && found.height > 0 ? found : null
  }
  return null
}

function readPng(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 33 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null
  // The first chunk is always the header, and always 13 bytes.
  if (bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Markers that stand alone, and those a picture begins or ends with: what follows has no length to step over, and no frame belongs after it. */
const isBare = (marker: number) => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xda)

/** Frames carry the dimensions, in fifteen variants; the other numbers of their row are tables. */
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
      if (length < 2 || isBare(marker)) return null
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
