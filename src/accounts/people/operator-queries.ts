import type { Sql, Tx } from '../../core/database/sql.ts'
import { mailsTo } from '../../core/mail/mail-log.ts'
import { exportEvents } from '../security-events/queries.ts'
import { isVerified } from './role-queries.ts'
import { suspensionOf } from './suspension-queries.ts'

export type Person = {
  uid: string
  username: string
  email: string
  email_verified: boolean
  extstore_id: string | null
  operator: boolean
}

export async function findPersonByLogin(sql: Sql, login: string): Promise<Person | undefined> {
  const [person] = await sql<Person[]>`
    select
      u.uid, u.username, u.email, ${isVerified(sql)} as email_verified, u.extstore_id,
      o.user_uid is not null as operator
    from users u
    left join operators o on o.user_uid = u.uid
    where lower(u.username) = lower(${login})
      or lower(u.email) = lower(${login})
      or u.uid::text = lower(${login})
    order by lower(u.username) = lower(${login}) desc
    limit 1`
  return person
}

export async function listOperators(
  sql: Sql,
): Promise<{ username: string; email: string; made_at: Date }[]> {
  return sql`
    select u.username, u.email, o.made_at
    from operators o
    join users u on u.uid = o.user_uid
    order by lower(u.username)`
}

/** Not cached, so that a removed or suspended operator loses access at once in every process. */
export async function isOperator(sql: Sql | Tx, user_uid: string): Promise<boolean> {
  const [row] = await sql`
    select
    from operators o
    join users u on u.uid = o.user_uid
    where o.user_uid = ${user_uid}
      and ${suspensionOf(sql)} ->> 'scope' is distinct from 'everything'`
  return row !== undefined
}

export async function hasOperators(sql: Sql | Tx): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`select exists (select from operators) as exists`
  return row!.exists
}

/** Whether this changed anything. */
export async function setOperator(tx: Tx, user_uid: string, operator: boolean): Promise<boolean> {
  const { count } = operator
    ? await tx`insert into operators (user_uid) values (${user_uid}) on conflict do nothing`
    : await tx`delete from operators where user_uid = ${user_uid}`
  return count === 1
}

/** Waits for other changes of operators, so that two of them cannot remove each other at once. */
export async function lockOperators(tx: Tx): Promise<void> {
  await tx`lock table operators in share row exclusive mode`
}

export async function countOperators(tx: Tx): Promise<number> {
  const [row] = await tx<{ count: number }[]>`select count(*)::int as count from operators`
  return row!.count
}

/** Whether this changed anything. */
export async function markVerified(tx: Tx, user_uid: string): Promise<boolean> {
  const { count } = await tx`
    update users
    set email_verified_at = now()
    where uid = ${user_uid} and email_verified_at is null`
  return count === 1
}

/**
 * Deletes the user and, by cascade, everything that belongs to them alone. Rows shared with others
 * stay, without the name. The user must own no listing.
 */
export async function deleteUser(tx: Tx, user_uid: string): Promise<boolean> {
  const { count } = await tx`delete from users where uid = ${user_uid}`
  return count === 1
}

/** Also those that are deleted and can be restored. */
export async function listOwnedListings(
  sql: Sql | Tx,
  user_uid: string,
): Promise<{ uid: string; name: string; visibility: string }[]> {
  return sql`
    select uid, name, visibility
    from all_listings
    where owner_uid = ${user_uid}
    order by created_at`
}

type PersonalColumn = { table: string; column: string; hidden: string[] }

/**
 * Every column that refers to a user, read from the database's own catalog so that tables added
 * later are included. Hashes and encrypted bytes are hidden, because they are of no use to a reader
 * and may be credentials.
 */
async function listPersonalColumns(sql: Sql): Promise<PersonalColumn[]> {
  const foreignKeys = sql`
    select t.relname as table, a.attname as column
    from pg_constraint k
    join pg_class t on t.oid = k.conrelid
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and k.confrelid = 'users'::regclass
      and t.relnamespace = current_schema()::regnamespace`
  const userColumns = sql`
    select c.table_name, c.column_name
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and c.column_name = 'user_uid'
      and c.data_type = 'uuid' and t.table_type = 'BASE TABLE'`
  const hidden = sql`
    select c.column_name::text
    from information_schema.columns c
    where c.table_schema = current_schema() and c.table_name = p.table
      and (c.data_type = 'bytea' or c.column_name ~ '(hash|secret|nonce)$')`
  return sql<PersonalColumn[]>`
    with personal as (
      ${foreignKeys}
      union ${userColumns}
      union select 'users', 'uid')
    select p.table::text, p.column::text, array(${hidden}) as hidden
    from personal p
    order by p.table, p.column`
}

/**
 * What others have in a row about the person: buyers do not see the account of the seller and what
 * its provider says, sellers do not see who bought.
 */
const OF_OTHERS: Record<string, readonly string[]> = {
  'orders.buyer_uid': ['account_ref', 'problem', 'problem_details'],
  'orders.seller_uid': ['buyer_uid', 'gift_for', 'checkout_ref', 'checkout_url'],
}

/** The answer of a refund that failed is in the words of the seller's provider. */
const withoutProvider = (table: string, row: Row): Row =>
  table === 'order_refunds' && row['state'] === 'failed' ? { ...row, answer: '' } : row

type Row = Record<string, unknown>
type RowQuery = Promise<{ row: Row }[]>

/** Rows by table, or by table.column for a table that refers to users twice. */
export async function exportPersonalData(
  sql: Sql,
  { uid, email, extstore_id }: Person,
): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {}
  const add = async (name: string, query: RowQuery) => {
    const rows = await query
    if (rows.length) tables[name] = rows.map(({ row }) => row)
  }
  const columns = await listPersonalColumns(sql)
  for (const { table, column, hidden } of columns) {
    // Added below, without where other people acted from.
    if (table === 'security_events') continue
    const name = table.replace(/^all_/, '')
    const ambiguous = columns.filter((other) => other.table === table).length > 1
    const left_out = [...hidden, ...(OF_OTHERS[`${table}.${column}`] ?? [])]
    const rows: RowQuery = sql<{ row: Row }[]>`
      select to_jsonb(t) - ${left_out}::text[] as row
      from ${sql(table)} t
      where t.${sql(column)} = ${uid}
      order by t.*::text`
    await add(
      ambiguous ? `${name}.${column}` : name,
      rows.then((list) => list.map(({ row }) => ({ row: withoutProvider(table, row) }))),
    )
  }
  await add(
    'bug_logs',
    sql`
      select to_jsonb(g) as row
      from bug_logs g
      join bugs b on b.uid = g.bug_uid
      where b.user_uid = ${uid}
      order by g.bug_uid`,
  )
  await add('security_events', exportEvents(sql, uid))
  await add('mails', mailsTo(sql, email))
  // Sign-ins and reports under the linked external account, from before it was linked.
  if (extstore_id)
    for (const table of ['bugs', 'extstore_sessions'])
      await add(
        `${table}.extstore_id`,
        sql`
          select to_jsonb(t) - 'ticket_hash' as row
          from ${sql(table)} t
          where extstore_id = ${extstore_id} and user_uid is distinct from ${uid}`,
      )
  return tables
}
