import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { insertUser } from '../../src/accounts/people/queries.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { insertListing } from '../../src/listings/listing/queries.ts'
import { imageKey } from '../../src/listings/media/url.ts'
import { startService } from '../../src/service.ts'

/**
 * The real service with one listing that has 64 MB of images, which are also written to a folder
 * for the baseline.
 */
const MB = 1024 * 1024
const sizes = [8, 5, ...Array.from({ length: 5 }, () => 10), 1].map((size) => size * MB)
const folder = process.env.BENCH_IMAGES ?? ''

const service = await startService(readConfig({ ...process.env, PORT: '0', METRICS_PORT: 'off' }))
const { sql, storage } = service.core
const [owner_uid, uid] = [uuidv7(), uuidv7()]
await insertUser(sql, {
  uid: owner_uid,
  username: 'bench',
  email: 'bench@example.com',
  password_hash: 'none',
})
await insertListing(sql, {
  uid,
  owner_uid,
  vanity_name: 'bench',
  name: 'Bench',
  tagline: '',
  description: '',
  asset_type: 'game',
})
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
await sql`update listings set visibility = 'public' where uid = ${uid}`
process.stdout.write(`ready ${service.url}/api/v1/public/games/bench/press.zip\n`)
process.on('SIGTERM', async () => {
  await service.stop()
  process.exit(0)
})
