import type { OutputInfo, Sharp } from 'sharp'
import { loadSharp, MAX_PIXELS } from '../media/store.ts'
import { qualities, qualityStep, type Size } from './rendition-rules.ts'

/** The pixels of an image, decoded once for all its renditions. */
export type Pixels = { data: Buffer; info: OutputInfo }

/** More than a slow machine needs for the largest image. */
const TIMEOUT_SECONDS = 60
/** Higher efforts take up to ten times as long and save a few percent. */
const AVIF_EFFORT = 2
const PLACEHOLDER = { width: 16, height: 9 }
const PLACEHOLDER_QUALITY = 30

/** Undefined if the bytes cannot be decoded. Of an animation, only the first frame is decoded. */
export async function decode(bytes: Buffer): Promise<Pixels | undefined> {
  const sharp = await loadSharp()
  return sharp(bytes, { limitInputPixels: MAX_PIXELS })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .autoOrient()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((error: Error) => {
      if (error.message.includes('timeout')) throw error
      return undefined
    })
}

async function resized({ data, info }: Pixels, size: object): Promise<Sharp> {
  const sharp = await loadSharp()
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels } })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .resize({ ...size, withoutEnlargement: true })
}

/** Encodes an image, with less quality if it would otherwise have too many bytes. */
export async function encode(pixels: Pixels, { width, format }: Size): Promise<Buffer> {
  const withQuality = async (quality: number) => {
    const image = await resized(pixels, { width })
    return (
      format === 'avif' ? image.avif({ quality, effort: AVIF_EFFORT }) : image.webp({ quality })
    ).toBuffer()
  }
  const bytes = await withQuality(qualities[format][0]!)
  const step = qualityStep(bytes.length, width)
  return step === 0 ? bytes : withQuality(qualities[format][step]!)
}

/**
 * A tiny image as a data URL, which pages show until a rendition is loaded. Empty for a transparent
 * image, because it would be seen through it.
 */
export async function placeholderOf(pixels: Pixels): Promise<string> {
  const image = await resized(pixels, { ...PLACEHOLDER, fit: 'fill' })
  if (!(await image.clone().stats()).isOpaque) return ''
  const bytes = await image.removeAlpha().webp({ quality: PLACEHOLDER_QUALITY }).toBuffer()
  return `data:image/webp;base64,${bytes.toString('base64')}`
}
