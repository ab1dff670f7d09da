/**
 * Renditions are copies of an image in the sizes and formats that pages show. Both formats keep
 * transparency; browsers that decode AVIF also decode WebP.
 */
export const renditionWidths = [160, 320, 640, 1280, 1920] as const
export const renditionFormats = ['avif', 'webp'] as const
export type RenditionWidth = (typeof renditionWidths)[number]
export type RenditionFormat = (typeof renditionFormats)[number]
export type Size = { width: RenditionWidth; format: RenditionFormat }
export type Rendition = Size & { sha256: string }

/** Part of keys and addresses. Raise it with every change of the encoder settings. */
export const ENCODER = 1

/** Phones and cards need these, so they are made right after an upload. */
export const earlySizes: Size[] = [160, 320, 640].map((width) => ({
  width: width as RenditionWidth,
  format: 'avif',
}))
/** Larger screens need these. They cost more time, so images that are soon replaced skip them. */
export const lateSizes: Size[] = [{ width: 1280, format: 'avif' }]

/** The most bytes a rendition should have. */
export const byteBudgets: Record<RenditionWidth, number> = {
  160: 5_000,
  320: 11_000,
  640: 24_000,
  1280: 90_000,
  1920: 180_000,
}

/** Each quality makes about half the bytes of the one before. */
export const qualities: Record<RenditionFormat, readonly number[]> = {
  avif: [50, 40, 30, 20],
  webp: [74, 45, 25, 8],
}

/** The index of the quality at which an image that has `bytes` at the first one fits its budget. */
export function qualityStep(bytes: number, width: RenditionWidth): number {
  const excess = bytes / byteBudgets[width]
  return excess <= 1 ? 0 : Math.min(3, Math.ceil(Math.log2(excess)))
}

/** The widths of an image, which is never enlarged. */
export const widthsUpTo = (original: number) => renditionWidths.filter((width) => width <= original)

const nameOf = ({ sha256, width, format }: Rendition, encoder: number) =>
  `${sha256}-${width}-v${encoder}.${format}`

/** The address of a rendition. It never gets other bytes, so it can be cached forever. */
export const renditionPath = (rendition: Rendition) =>
  `/media/renditions/${nameOf(rendition, ENCODER)}`

export const RENDITION_PREFIX = 'image-renditions/'
/** What the keys of all renditions of an image start with, those of earlier encoders too. */
export const keyPrefix = (sha256: string) =>
  `${RENDITION_PREFIX}${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}-`
export const renditionKey = (rendition: Rendition) =>
  keyPrefix(rendition.sha256) + nameOf(rendition, ENCODER).slice(rendition.sha256.length + 1)

const NAME = /^([0-9a-f]{64})-(\d+)-v(\d+)\.([a-z]+)$/

/** Parses a name; undefined if it names no rendition. Other encoder versions are accepted. */
export function parseName(name: string): (Rendition & { encoder: number }) | undefined {
  const [, sha256, digits, encoder, ending] = NAME.exec(name) ?? []
  const width = renditionWidths.find((known) => String(known) === digits)
  const format = renditionFormats.find((known) => known === ending)
  if (!sha256 || !width || !format) return undefined
  return { sha256, width, format, encoder: Number(encoder) }
}

export const parseKey = (key: string) => parseName(key.slice(key.lastIndexOf('/') + 1))

/**
 * The rendition to send instead of one that does not exist yet: the next larger one, otherwise the
 * largest. A browser that asks for WebP may not decode AVIF.
 */
export function nearestRendition(
  wanted: Rendition,
  existing: readonly Rendition[],
): Rendition | undefined {
  const usable = existing
    .filter(({ format }) => wanted.format === 'avif' || format === 'webp')
    .sort((a, b) => a.width - b.width || (a.format === wanted.format ? -1 : 1))
  const largest = usable.at(-1)?.width
  return (
    usable.find(({ width }) => width >= wanted.width) ??
    usable.find(({ width }) => width === largest)
  )
}
