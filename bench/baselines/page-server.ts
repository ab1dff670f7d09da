import { insertUser } from '../../src/accounts/people/queries.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { insertListing } from '../../src/listings/listing/queries.ts'
import { startService } from '../../src/service.ts'

/** The real service with one public listing, whose HTML page is read. */
const service = await startService(readConfig({ ...process.env, PORT: '0', METRICS_PORT: 'off' }))
const { sql } = service.core
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
  name: 'A page to read',
  tagline: 'One line of what it is',
  description:
    '## A heading\n\nSome *words* of a description, with a [link](https://example.com/).\n\n'.repeat(
      12,
    ),
  asset_type: 'game',
})
await sql`update listings set visibility = 'public', published_at = now(), public_since = now(), tags = '{a,b,c}', genres = '{rpg}' where uid = ${uid}`
process.stdout.write(`ready ${service.url}/bench/bench\n`)
process.on('SIGTERM', async () => {
  await service.stop()
  process.exit(0)
})
