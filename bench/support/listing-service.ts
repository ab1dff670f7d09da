import { insertUser } from '../../src/accounts/people/queries.ts'
import type { Sql } from '../../src/core/database/sql.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { insertListing } from '../../src/listings/listing/queries.ts'
import { startService } from '../../src/service.ts'

/** Starts the real service in this process, configured by the environment, on a free port. */
export const startBenchService = (settings: Record<string, string> = {}) =>
  startService(readConfig({ ...process.env, PORT: '0', METRICS_PORT: 'off', ...settings }))

/** Inserts the user `bench`. */
export async function insertOwner(sql: Sql): Promise<string> {
  const uid = uuidv7()
  await insertUser(sql, {
    uid,
    username: 'bench',
    email: 'bench@example.com',
    password_hash: 'none',
  })
  return uid
}

/** Inserts the draft `bench` with its owner of the same name. */
export async function insertDraft(
  sql: Sql,
  text: { name?: string; tagline?: string; description?: string } = {},
): Promise<{ uid: string; owner_uid: string }> {
  const uid = uuidv7()
  const owner_uid = await insertOwner(sql)
  await insertListing(sql, {
    uid,
    owner_uid,
    vanity_name: 'bench',
    name: 'Bench',
    tagline: '',
    description: '',
    asset_type: 'game',
    ...text,
  })
  return { uid, owner_uid }
}

/** Like `insertDraft`, and publishes the listing. */
export async function insertPublicListing(
  sql: Sql,
  text?: Parameters<typeof insertDraft>[1],
): Promise<string> {
  const { uid } = await insertDraft(sql, text)
  await sql`
    update listings
    set visibility = 'public', published_at = now(), public_since = now(),
      tags = '{a,b,c}', genres = '{rpg}'
    where uid = ${uid}`
  return uid
}
