import { createHash } from 'node:crypto'
import { json, type Reply } from './extstore-api.ts'
import type { World } from './extstore-world.ts'

const MAX_SIDE = 8192

/**
 * A file of the image host: an uploaded one, or one drawn from its name, which ends in its size
 * like the names of the store.
 */
export async function picture(world: World, path: string): Promise<Reply> {
  const known = world.images.get(path)
  if (known)
    return { status: known.status, type: known.type, body: known.bytes, headers: known.headers }
  const [, width, height] = /\.(\d+)x(\d+)\.jpg$/.exec(path)?.map(Number) ?? []
  if (!width || !height || width > MAX_SIDE || height > MAX_SIDE)
    return json({ error: 'no such picture' }, 404)
  const bytes = await draw(path, width, height)
  world.images.set(path, { bytes, type: 'image/jpeg', status: 200, headers: {} })
  return { status: 200, type: 'image/jpeg', body: bytes }
}

/** Soft spots of color derived from the name, so that no two images are equal. */
async function draw(name: string, width: number, height: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const hash = createHash('sha512').update(name).digest()
  const pixels = Buffer.from(
    Array.from({ length: 16 * 9 * 3 }, (_, i) => hash[i % hash.length]! ^ ((i * 7) & 63)),
  )
  return sharp(pixels, { raw: { width: 16, height: 9, channels: 3 } })
    .resize({ width, height, fit: 'fill' })
    .jpeg()
    .toBuffer()
}
