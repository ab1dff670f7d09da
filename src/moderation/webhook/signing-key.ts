import { randomBytes } from 'node:crypto'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import {
  addStoreSecret,
  putStoreSecret,
  readStoreSecret,
} from '../../core/settings/store-secrets.ts'

const KEY_FIELD = 'reports_signing_key'
const newKey = () => randomBytes(32).toString('hex')

/** The key that signs what the webhook for reports is sent; made at its first use. */
export async function reportsSigningKey({ secrets }: Core, sql: Sql | Tx): Promise<string> {
  const read = () => readStoreSecret(sql, secrets, KEY_FIELD)
  const key = await read()
  if (key) return key
  await addStoreSecret(sql, secrets, KEY_FIELD, newKey())
  return (await read())!
}

export async function replaceReportsSigningKey({ secrets }: Core, tx: Tx): Promise<string> {
  const key = newKey()
  await putStoreSecret(tx, secrets, KEY_FIELD, key)
  return key
}
