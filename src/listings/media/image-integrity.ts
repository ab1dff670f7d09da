import type { ImageType } from './image-rules.ts'

/**
 * Whether a file is complete according to its format. Decoders tolerate a truncated file and decode
 * only the first frame of an animation, so they do not detect this. Bytes after the end of the
 * image are ignored.
 */
export function isComplete(type: ImageType, bytes: Buffer): boolean {
  return reachesEnd[type](bytes)
}

const reachesEnd: Record<ImageType, (bytes: Buffer) => boolean> = {
  'image/png': pngEnds,
  'image/jpeg': jpegEnds,
  'image/gif': gifEnds,
  'image/webp': (bytes) => bytes.length >= 8 && bytes.readUInt32LE(4) + 8 <= bytes.length,
}

/** A PNG is a list of chunks (length, name, data, checksum) that ends with the chunk IEND. */
function pngEnds(bytes: Buffer): boolean {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return end <= bytes.length
    at = end
  }
  return false
}

const END_OF_IMAGE = 0xd9
const FIRST_RESTART = 0xd0
const LAST_RESTART = 0xd7

/**
 * A JPEG is a list of segments that state their length. Pixel data has no length: it ends at the
 * next marker that is neither byte stuffing nor a restart marker.
 */
function jpegEnds(bytes: Buffer): boolean {
  for (let at = 2; at + 1 < bytes.length; ) {
    at = bytes.indexOf(0xff, at)
    const marker = at < 0 ? undefined : bytes[at + 1]
    if (marker === undefined) return false
    if (marker === END_OF_IMAGE) return true
    const bare =
      marker === 0 ||
      marker === 0xff ||
      marker === 1 ||
      (marker >= FIRST_RESTART && marker <= LAST_RESTART)
    if (!bare && at + 4 > bytes.length) return false
    // A marker may be preceded by fill bytes (0xff); the last of them is part of the marker.
    at += marker === 0xff ? 1 : bare ? 2 : 2 + bytes.readUInt16BE(at + 2)
  }
  return false
}

const EXTENSION = 0x21
const PICTURE = 0x2c
const TRAILER = 0x3b

/** A GIF is a screen header followed by extensions and images made of blocks, and a trailer. */
function gifEnds(bytes: Buffer): boolean {
  const colorTableBytes = (flags: number | undefined) =>
    flags !== undefined && flags & 0x80 ? 3 << ((flags & 7) + 1) : 0
  let at = 13 + colorTableBytes(bytes[10])
  for (;;) {
    const kind = bytes[at]
    if (kind === TRAILER) return true
    if (kind === EXTENSION) at += 2
    else if (kind === PICTURE) at += 11 + colorTableBytes(bytes[at + 9])
    else return false
    while (bytes[at]) at += 1 + bytes[at]!
    at += 1
  }
}
