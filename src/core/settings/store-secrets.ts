import type { Sql, Tx } from '../database/sql.ts'
import type { Sealed, Secrets } from '../security/secrets.ts'

/** Sealed values are bound to a uid; that of the store is the same everywhere. */
const STORE_UID = '00000000-0000-0000-0000-000000000000'

/** A secret of the store itself, sealed as those of listings; `field` names it. */
export async function putStoreSecret(
  tx: Sql | Tx,
  secrets: Secrets,
  field: string,
  value: string,
): Promise<void> {
  const { key_version, sealed } = secrets.seal(STORE_UID, field, value)
  await tx`
    insert into store_secrets (store_uid, field, key_version, sealed)
    values (${STORE_UID}, ${field}, ${key_version}, ${sealed})
    on conflict (store_uid, field) do update
    set key_version = excluded.key_version, sealed = excluded.sealed, updated_at = now()`
}

/** Stores a secret unless there is one, such as of another process at the same time. */
export async function addStoreSecret(
  tx: Sql | Tx,
  secrets: Secrets,
  field: string,
  value: string,
): Promise<void> {
  const { key_version, sealed } = secrets.seal(STORE_UID, field, value)
  await tx`
    insert into store_secrets (store_uid, field, key_version, sealed)
    values (${STORE_UID}, ${field}, ${key_version}, ${sealed})
    on conflict (store_uid, field) do nothing`
}

export async function deleteStoreSecret(tx: Sql | Tx, field: string): Promise<void> {
  await tx`
    delete from store_secrets
    where store_uid = ${STORE_UID} and field = ${field}`
}

export async function readStoreSecret(
  sql: Sql | Tx,
  secrets: Secrets,
  field: string,
): Promise<string | undefined> {
  const [row] = await sql<Sealed[]>`
    select key_version, sealed
    from store_secrets
    where store_uid = ${STORE_UID} and field = ${field}`
  return row && secrets.open(STORE_UID, field, row)
}

export async function hasStoreSecret(sql: Sql | Tx, field: string): Promise<boolean> {
  const rows = await sql`
    select
    from store_secrets
    where store_uid = ${STORE_UID} and field = ${field}`
  return rows.length > 0
}
