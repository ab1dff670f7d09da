import { insertUser } from '../../src/accounts/people/queries.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { insertListing } from '../../src/listings/listing/queries.ts'
import { startService } from '../../src/service.ts'

/** The real service with one public listing that is edited ten times a second while it is read. */
const EDIT_MS = 100
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
  tagline: '0',
  description: 'Words. '.repeat(200),
  asset_type: 'game',
})
await sql`update listings set visibility = 'public', published_at = now(), public_since = now(), tags = '{a,b,c}', genres = '{rpg}' where uid = ${uid}`
const editor = setInterval(
  () =>
    void sql`update listings set tagline = ${String(Date.now())} where uid = ${uid}`.catch(
      () => {},
    ),
  EDIT_MS,
)
process.stdout.write(`ready ${service.url}/api/v1/public/games/${uid}\n`)
process.on('SIGTERM', async () => {
  clearInterval(editor)
  await service.stop()
  process.exit(0)
})
