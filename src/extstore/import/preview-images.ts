import { decode, encode } from '../../listings/renditions/encode.ts'
import type { Screenshot, StoreImage } from './images.ts'
import type { ImportedImages } from './mapping.ts'

const PREVIEW = { width: 320, format: 'webp' } as const

/**
 * Small renditions of the screenshots, for a preview. It stores no image, and pages must not load
 * images of other hosts, so each is a data URL in the report.
 */
export function previewImages() {
  const urls = new Map<string, string>()
  const store: StoreImage = async ({ image: { sha256 }, bytes }) => {
    const pixels = await decode(bytes)
    if (!pixels) return
    const rendition = await encode(pixels, PREVIEW)
    urls.set(sha256, `data:image/webp;base64,${rendition.toString('base64')}`)
  }
  const addTo = (screenshots: Screenshot[], images: ImportedImages | undefined) => {
    const hashes = new Map(images?.gallery.map(({ url, image }) => [url, image.sha256]))
    return screenshots.map((screenshot) => {
      const preview = urls.get(hashes.get(screenshot.url) ?? '')
      return preview ? { ...screenshot, preview } : screenshot
    })
  }
  return { store, addTo }
}
