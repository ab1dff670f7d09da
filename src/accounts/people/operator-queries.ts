import type { Sql, Tx } from '../../core/database/sql.ts'

export type Person = {
  uid: string
  username: string
  email: string
  extstore_id: string | null
  operator: boolean
}

export async function findPersonByLogin(sql: Sql, login: string): Promise<Person | undefined> {
  const [person] = await sql<Person[]>`
    select u.uid, u.username, u.email, u.extstore_id, o.user_uid is not null as operator
    from users u left join operators o on o.user_uid = u.uid
    where lower(u.username) = lower(${login}) or lower(u.email) = lower(${login}) or u.uid::text = lower(${login})
    order by lower(u.username) = lower(${login}) desc limit 1`
  return person
}

export async function listOperators(
  sql: Sql,
): Promise<{ username: string; email: string; made_at: Date }[]> {
  return sql`select u.username, u.email, o.made_at from operators o join users u on u.uid = o.user_uid order by lower(u.username)`
}

export async function isOperator(sql: Sql, user_uid: string): Promise<boolean> {
  const found = await sql`select from operators where user_uid = ${user_uid}`
  return found.length === 1
}

/** Whether this changed anything. */
export async function setOperator(tx: Tx, user_uid: string, operator: boolean): Promise<boolean> {
  const { count } = operator
    ? await tx`insert into operators (user_uid) values (${user_uid}) on conflict do nothing`
    : await tx`delete from operators where user_uid = ${user_uid}`
  return count === 1
}

/** Of one person, or of everyone. */
export async function endSessions(sql: Sql, user_uid: string | null): Promise<number> {
  const { count } =
    await sql`delete from sessions where user_uid = ${user_uid} or ${user_uid}::uuid is null`
  return count
}

/** Their row, and with it everything that is theirs alone; what others share keeps its place without their name. Listings must be gone. */
export async function deleteUser(tx: Tx, user_uid: string): Promise<boolean> {
  const { count } = await tx`delete from users where uid = ${user_uid}`
  return count === 1
}

export async function lockUser(tx: Tx, user_uid: string): Promise<void> {
  await tx`select from users where uid = ${user_uid} for update`
}

export async function listOwned(
  sql: Sql | Tx,
  user_uid: string,
): Promise<{ uid: string; name: string; visibility: string }[]> {
  return sql`select uid, name, visibility from listings where owner_uid = ${user_uid} order by created_at`
}

type Place = { table: string; column: string; hidden: string[] }

/**
 * Every table that names a person, asked of the database itself so that none that comes later is forgotten. Hashes and sealed bytes are left
 * out: they say nothing to a reader, and are somebody's way in.
 */
async function placesOfPeople(sql: Sql): Promise<Place[]> {
  return sql<Place[]>`
    with named as (
      select t.relname as table, a.attname as column from pg_constraint k
      join pg_class t on t.oid = k.conrelid join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      where k.contype = 'f' and k.confrelid = 'users'::regclass and t.relnamespace = current_schema()::regnamespace
      union
      select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = current_schema() and c.column_name = 'user_uid' and c.data_type = 'uuid' and t.table_type = 'BASE TABLE'
      union select 'users', 'uid')
    select n.table::text, n.column::text, array(select column_name::text from information_schema.columns c
      where c.table_schema = current_schema() and c.table_name = n.table
        and (c.data_type = 'bytea' or c.column_name ~ '(hash|secret|nonce)$')) as hidden
    from named n order by n.table, n.column`
}

type Row = Record<string, unknown>

/** table (or table.column where a table names people twice) → rows. */
export async function readPerson(
  sql: Sql,
  { uid, extstore_id }: Person,
): Promise<Record<string, Row[]>> {
  const places = await placesOfPeople(sql)
  const found: Record<string, Row[]> = {}
  for (const { table, column, hidden } of places) {
    const rows = await sql<{ row: Row }[]>`
      select to_jsonb(t) - ${hidden}::text[] as row from ${sql(table)} t where t.${sql(column)} = ${uid} order by t.*::text`
    const twice = places.filter((one) => one.table === table).length > 1
    if (rows.length) found[twice ? `${table}.${column}` : table] = rows.map(({ row }) => row)
  }
  const logs = await sql<{ row: Row }[]>`
    select to_jsonb(g) as row from bug_logs g join bugs b on b.uid = g.bug_uid where b.user_uid = ${uid} order by g.bug_uid`
  if (logs.length) found.bug_logs = logs.map(({ row }) => row)
  // Sign-ins and reports under the linked account of the external store, from before it was linked.
  if (extstore_id)
    for (const table of ['bugs', 'extstore_sessions']) {
      const rows = await sql<{ row: Row }[]>`
        select to_jsonb(t) - 'ticket_hash' as row from ${sql(table)} t where extstore_id = ${extstore_id} and user_uid is distinct from ${uid}`
      if (rows.length) found[`${table}.extstore_id`] = rows.map(({ row }) => row)
    }
  return found
}
