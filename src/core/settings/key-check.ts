import { join } from 'node:path'
import type { Sql } from '../database/sql.ts'
import type { Config } from '../runtime/config.ts'
import { hasSealedValues, sampleSealedValues } from '../security/sealed-columns.ts'
import {
  createSecrets,
  hasKeyFile,
  KEY_FILE,
  loadKeyring,
  type Secrets,
  SecretsError,
} from '../security/secrets.ts'
import { addStoreSecret, hasStoreSecret, readStoreSecret } from './store-secrets.ts'

/** A sealed value with known contents: it opens with the key of this database and no other. */
export const KEY_CHECK_FIELD = 'key check'
const CHECK_TEXT = 'slipway'

type KeySettings = Pick<Config, 'secrets_key' | 'data_dir'>

/**
 * Loads the keys of the secrets in a database. A key is created only for a database without any
 * secret. With a missing or another key nothing would open any more, and whatever is sealed from
 * then on would be lost when the right key returns; so the start is refused.
 */
export async function openSecrets(sql: Sql, settings: KeySettings): Promise<Secrets> {
  const has_check = await hasStoreSecret(sql, KEY_CHECK_FIELD)
  const is_used = has_check || (await hasSealedValues(sql))
  if (is_used && !settings.secrets_key && !hasKeyFile(settings.data_dir))
    throw new SecretsError(missingKey(settings.data_dir))
  const secrets = createSecrets(await loadKeyring(settings))
  // A database of a version without the check value has only the secrets themselves.
  if (is_used && !has_check && !(await opensAnySecret(sql, secrets)))
    throw new SecretsError(otherKey(settings))
  if (!has_check) await addStoreSecret(sql, secrets, KEY_CHECK_FIELD, CHECK_TEXT)
  // Also after writing it: another process with another key may have been first.
  const text = await readStoreSecret(sql, secrets, KEY_CHECK_FIELD).catch(() => undefined)
  if (text !== CHECK_TEXT) throw new SecretsError(otherKey(settings))
  return secrets
}

/** Whether something is sealed in this database, and nothing of it opens with these keys. */
export async function isKeyLost(sql: Sql, settings: KeySettings): Promise<boolean> {
  const has_check = await hasStoreSecret(sql, KEY_CHECK_FIELD)
  if (!has_check && !(await hasSealedValues(sql))) return false
  if (!settings.secrets_key && !hasKeyFile(settings.data_dir)) return true
  return !(await opensAnySecret(sql, createSecrets(await loadKeyring(settings))))
}

/** Single values may be damaged, so one that opens is enough. */
async function opensAnySecret(sql: Sql, secrets: Secrets): Promise<boolean> {
  const values = await sampleSealedValues(sql)
  return values.some(({ owner_uid, field, key_version, sealed }) => {
    try {
      secrets.open(owner_uid, field, { key_version, sealed })
      return true
    } catch {
      return false
    }
  })
}

const NEXT =
  'If the key is lost for good, "npm run admin -- secrets replace-lost" starts over without what ' +
  'it encrypted; see "If the key is lost" in docs/backup.md. No new key was created.'

const missingKey = (data_dir: string) =>
  `The secrets in this database are encrypted, and their key is missing: there is no ` +
  `${join(data_dir, KEY_FILE)}. Copy ${KEY_FILE} from your backup to DATA_DIR, or set ` +
  `SECRETS_KEY to its contents, and start again. ${NEXT}`

const otherKey = ({ secrets_key, data_dir }: KeySettings) =>
  `The secrets in this database are encrypted with another key than that of ` +
  `${secrets_key ? 'SECRETS_KEY' : join(data_dir, KEY_FILE)}. Use the key of this database: ` +
  `copy its ${KEY_FILE} to DATA_DIR, or set SECRETS_KEY to the contents of that file (all ` +
  `entries, if there are several), and start again. ${NEXT}`
