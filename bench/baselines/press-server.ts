import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { imageKey } from '../../src/listings/media/url.ts'
import { announce } from '../support/baseline.ts'
import { insertPublicListing, startBenchService } from '../support/listing-service.ts'

/**
 * The real service with one listing that has 64 MB of images, which are also written to a folder
 * for the baseline.
 */
const MB = 1024 * 1024
const sizes = [8, 5, ...Array.from({ length: 5 }, () => 10), 1].map((size) => size * MB)
const folder = process.env.BENCH_IMAGES ?? ''

const service = await startBenchService()
const { sql, storage } = service.core
const uid = await insertPublicListing(sql)
for (const [index, size] of sizes.entries()) {
  const bytes = randomBytes(size)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const slot = (['cover', 'thumbnail'] as const)[index] ?? 'gallery'
  await storage.put(imageKey(sha256), bytes)
  writeFileSync(join(folder, `${slot}-${index}.png`), bytes)
  const image = {
    uid: uuidv7(),
    game_uid: uid,
    slot,
    position: Math.max(0, index - 2),
    sha256,
    type: 'image/png',
    width: 1920,
    height: 1080,
    size,
    crc32: crc32(bytes),
  }
  await sql`insert into listing_images ${sql(image)}`
}
announce(`${service.url}/api/v1/public/games/bench/press.zip`, service.stop)
