import type { TestContext } from 'node:test'
import sharp, { type AvifOptions, type Sharp } from 'sharp'

/** A PNG of 2048x1152 pixels that is as hard to compress as a grainy screenshot. */
export async function noisyPng({ width = 2048, height = 1152, seed = 1 } = {}): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3)
  let random = seed
  for (let at = 0; at < pixels.length; at++) {
    random = (random * 1103515245 + 12345) & 0x7fffffff
    const [x, y] = [(at / 3) % width, at / 3 / width]
    const shade = 128 + 60 * Math.sin(x / 90 + seed) + 60 * Math.sin(y / 50 + (at % 3))
    pixels[at] = Math.max(0, Math.min(255, shade + (((random >> 8) & 255) - 128) / 2))
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

/** Decodes AVIF too, which the service does not accept. */
export function openImage(bytes: Buffer): Sharp {
  sharp.unblock({ operation: ['VipsForeignLoadHeifBuffer'] })
  return sharp(bytes)
}

/** Counts the images that are encoded as AVIF, and holds each until `release` is called. */
export function holdEncoder(t: TestContext) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const avif = sharp.prototype.avif
  let encoded = 0
  t.mock.method(sharp.prototype, 'avif', function (this: Sharp, options: AvifOptions) {
    encoded++
    const image = avif.call(this, options)
    const toBuffer = image.toBuffer.bind(image) as () => Promise<Buffer>
    image.toBuffer = (async () => {
      await released
      return toBuffer()
    }) as typeof image.toBuffer
    return image
  })
  return { release, count: () => encoded }
}
