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
  /** What the values are and what people do once they are gone with a lost key. */
  lost: { values: string; next: string }
  /** Rows that mean nothing without the value of their owner. */
  dependent?: { table: string; owner: string }
}

const named = { field: { column: 'field' }, key_version: 'key_version', sealed: 'sealed' }

export const OAUTH_SECRET_FIELD = 'oauth client secret'
export const IDEMPOTENCY_FIELD = 'answer to a request'

/**
 * Every column of sealed values. A rotation encrypts them again, old keys are removed only when none
 * of them needs one, and a lost key takes all of them with it. A column that is missing here loses
 * its values with the old key; test/core/security/sealed-columns.test.ts finds it.
 */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'secrets',
    owner: 'game_uid',
    owner_type: 'uuid',
    noun: 'game',
    ...named,
    lost: {
      values: 'auth keys, Web API keys and webhook signing keys of listings',
      next: 'their developers replace them',
    },
  },
  {
    table: 'account_secrets',
    owner: 'user_uid',
    owner_type: 'uuid',
    noun: 'person',
    ...named,
    lost: {
      values: 'authenticator apps of people',
      next:
        'they sign in with their password, or with a passkey if they have one, and set up the ' +
        'app again',
    },
    dependent: { table: 'totp_factors', owner: 'user_uid' },
  },
  {
    table: 'store_secrets',
    owner: 'store_uid',
    owner_type: 'uuid',
    noun: 'store',
    ...named,
    lost: {
      values: 'secrets of the store: the mail server, the signing key of the report webhook',
      next:
        'set the mail server again in the console, and copy the new signing key to what receives ' +
        'the webhook',
    },
  },
  {
    table: 'oauth_records',
    owner: 'client_id',
    owner_type: 'text',
    noun: 'app',
    field: { name: OAUTH_SECRET_FIELD },
    key_version: 'secret_version',
    sealed: 'secret_sealed',
    lost: {
      values: 'apps with a client secret',
      next: 'they register again, and people allow them again',
    },
    dependent: { table: 'oauth_records', owner: 'client_id' },
  },
  {
    table: 'idempotency_keys',
    owner: 'uid',
    owner_type: 'uuid',
    noun: 'request',
    field: { name: IDEMPOTENCY_FIELD },
    key_version: 'key_version',
    sealed: 'sealed',
    lost: {
      values: 'answers to requests, kept for a repetition',
      next: 'a request that is repeated now is carried out again',
    },
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

export type SealedCount = SealedColumn['lost'] & { count: number }

/** What is sealed in a database, without the values of a field that means nothing to people. */
export async function countSealedValues(sql: ISql, without: string): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { table, field, sealed, lost } of sealedColumns) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count
      from ${sql(table)}
      where ${sql(sealed)} is not null
        and ${'name' in field ? sql`${field.name}::text` : sql(field.column)} <> ${without}`
    if (row!.count) counts.push({ ...lost, count: row!.count })
  }
  return counts
}

/** Removes every sealed value and what depends on it: their key is lost. */
export async function removeSealedValues(tx: ISql): Promise<void> {
  for (const { table, owner, sealed, dependent } of sealedColumns) {
    if (dependent)
      await tx`
        delete from ${tx(dependent.table)}
        where ${tx(dependent.owner)} in (
          select ${tx(owner)}
          from ${tx(table)}
          where ${tx(sealed)} is not null)`
    await tx`
      delete from ${tx(table)}
      where ${tx(sealed)} is not null`
  }
}
