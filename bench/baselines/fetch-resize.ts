import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import sharp from 'sharp'
import { listen } from '../support/baseline.ts'

/**
 * The minimum work of an import: fetch every image, resize it to a gallery image, and the first one
 * also to a thumbnail; four at a time, without storing them.
 */
const AT_ONCE = 4

async function fetchAndResize(url: string, is_first: boolean) {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  const gallery = await sharp(bytes)
    .resize({ width: 1920, height: 1080, fit: 'cover' })
    .jpeg({ quality: 90 })
    .toBuffer()
  if (is_first)
    await sharp(gallery).resize({ width: 960, height: 540 }).jpeg({ quality: 90 }).toBuffer()
}

sharp.cache(false)
const server = createServer(async (request, response) => {
  const urls: string[] = JSON.parse(await text(request))
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = next++; index < urls.length; index = next++)
        await fetchAndResize(urls[index]!, index === 0)
    }),
  )
  response.end('{}')
})
await listen(server)
