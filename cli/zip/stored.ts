/** Compressed formats: compressing them again takes time and saves nothing. */
const compressedFormats = new Set(
  (
    '7z aac apk avif br bz2 deb dmg flac gif gz heic ipa jar jpeg jpg jxl m4a m4v mkv mov mp3 ' +
    'mp4 mpga msix ogg ogv opus png rar rpm tbz tgz txz usdz webm webp whl wma wmv woff woff2 ' +
    'xz zip zst'
  ).split(' '),
)

export function isCompressedFormat(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 && compressedFormats.has(name.slice(dot + 1).toLowerCase())
}

/** Deflating must save at least 1/32 of the size, or the bytes are stored as they are. */
export const isWorthCompressing = (size: number, deflated: number) => deflated < size - size / 32
