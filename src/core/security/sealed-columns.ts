import type { ISql } from 'postgres'

/** A column of sealed values. Each value is bound to the uid of its owner and to a field. */
export type SealedColumn = {
  table: string
  /** The column of the uid that the value belongs to. */
  owner: string
  owner_type: 'uuid' | 'text'
  /** What the owner is, for messages. */
  noun: string
  /** The column of the field, or the field that all values of the table have. */
  field: { column: string } | { name: string }
  key_version: string
  sealed: string
}

const named = { field: { column: 'field' }, key_version: 'key_version', sealed: 'sealed' }

export const OAUTH_SECRET_FIELD = 'oauth client secret'
export const IDEMPOTENCY_FIELD = 'answer to a request'

/**
 * Every column of sealed values. A rotation encrypts them again, and old keys are removed only when
 * none of them needs one. A column that is missing here loses its values with the old key;
 * test/core/security/sealed-columns.test.ts finds it.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'secrets', owner: 'game_uid', owner_type: 'uuid', noun: 'game', ...named },
  { table: 'account_secrets', owner: 'user_uid', owner_type: 'uuid', noun: 'person', ...named },
  { table: 'store_secrets', owner: 'store_uid', owner_type: 'uuid', noun: 'store', ...named },
  {
    table: 'oauth_records',
    owner: 'client_id',
    owner_type: 'text',
    noun: 'app',
    field: { name: OAUTH_SECRET_FIELD },
    key_version: 'secret_version',
    sealed: 'secret_sealed',
  },
  {
    table: 'idempotency_keys',
    owner: 'uid',
    owner_type: 'uuid',
    noun: 'request',
    field: { name: IDEMPOTENCY_FIELD },
    key_version: 'key_version',
    sealed: 'sealed',
  },
]

/** How many values are sealed with another key than this one. */
export async function countOldSecrets(sql: ISql, version: number): Promise<number> {
  let count = 0
  for (const { table, key_version, sealed } of sealedColumns) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count
      from ${sql(table)}
      where ${sql(sealed)} is not null and ${sql(key_version)} <> ${version}`
    count += row!.count
  }
  return count
}

export type SealedValue = { owner_uid: string; field: string; key_version: number; sealed: Buffer }
const SAMPLE_SIZE = 10

/** A few values of every column. */
export async function sampleSealedValues(
  sql: ISql,
  per_column = SAMPLE_SIZE,
): Promise<SealedValue[]> {
  const values: SealedValue[] = []
  for (const { table, owner, field, key_version, sealed } of sealedColumns)
    values.push(
      ...(await sql<SealedValue[]>`
        select
          ${sql(owner)} as owner_uid,
          ${'name' in field ? sql`${field.name}::text` : sql(field.column)} as field,
          ${sql(key_version)} as key_version,
          ${sql(sealed)} as sealed
        from ${sql(table)}
        where ${sql(sealed)} is not null
        limit ${per_column}`),
    )
  return values
}

export const hasSealedValues = async (sql: ISql): Promise<boolean> =>
  (await sampleSealedValues(sql, 1)).length > 0
