/** Files that are packed already: packing them again costs time and gains nothing. */
const packed = new Set(
  (
    '7z aac apk avif br bz2 dmg flac gif gz heic ipa jar jpeg jpg jxl m4a m4v mkv mov mp3 mp4 mpga msix ogg ogv opus png rar rpm deb ' +
    'tbz tgz txz usdz webm webp whl wma wmv woff woff2 xz zip zst'
  ).split(' '),
)

export function isCompressedFormat(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 && packed.has(name.slice(dot + 1).toLowerCase())
}

/** Deflating must save at least a thirty-second part, or the bytes are kept as they are. */
export const isWorthCompressing = (size: number, deflated: number) => deflated < size - size / 32
