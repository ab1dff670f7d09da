import { isDeepStrictEqual } from 'node:util'
import type { Sql, Tx } from '../database/sql.ts'
import { uuidv7 } from '../security/crypto.ts'

export async function readSettingRows(sql: Sql | Tx): Promise<{ name: string; value: unknown }[]> {
  return sql`select name, value from store_settings`
}

/** A version of a policy that operators published, such as the terms. */
export type PublishedPolicy = {
  kind: string
  version: number
  /** A day in UTC, as 2027-01-31. */
  effective_from: string
}

/** Oldest first. */
export async function readPublishedPolicies(sql: Sql | Tx): Promise<PublishedPolicy[]> {
  return sql`
    select kind, version, effective_from::text as effective_from
    from policies
    order by kind, version`
}

/** Reads what is stored of a setting, which stays so until the transaction ends. */
export async function lockSetting(tx: Tx, name: string): Promise<unknown> {
  await tx`lock table store_settings in share mode`
  const [row] = await tx<{ value: unknown }[]>`
    select value from store_settings where name = ${name}`
  return row?.value
}

export type SettingChange = {
  name: string
  /** Null restores the default. */
  value: unknown
  /** Null for an administrator at the command line. */
  user_uid: string | null
}

/** Stores a setting and records who changed it. Nothing is recorded if the value is the same. */
export async function writeSetting(
  tx: Tx,
  { name, value, user_uid }: SettingChange,
): Promise<boolean> {
  // Changes are rare. One after the other, each records the value that it replaces.
  await tx`lock table store_settings in share row exclusive mode`
  const [row] = await tx<{ value: unknown }[]>`
    select value from store_settings where name = ${name}`
  const old_value = row ? row.value : null
  if (isDeepStrictEqual(old_value, value)) return false
  if (value === null) await tx`delete from store_settings where name = ${name}`
  else
    await tx`
      insert into store_settings (name, value)
      values (${name}, ${tx.json(value as never)})
      on conflict (name) do update set value = excluded.value, changed_at = now()`
  await tx`
    insert into setting_changes (uid, name, old_value, new_value, user_uid)
    values (
      ${uuidv7()}, ${name}, ${old_value === null ? null : tx.json(old_value as never)},
      ${value === null ? null : tx.json(value as never)}, ${user_uid}
    )`
  return true
}

export type SettingChangeRow = {
  uid: string
  name: string
  old_value: unknown
  new_value: unknown
  username: string | null
  changed_at: Date
}

export async function listSettingChanges(sql: Sql, limit: number): Promise<SettingChangeRow[]> {
  return sql`
    select c.uid, c.name, c.old_value, c.new_value, u.username, c.changed_at
    from setting_changes c
    left join users u on u.uid = c.user_uid
    order by c.changed_at desc, c.uid desc
    limit ${limit}`
}
