import type { Sql, Tx } from '../../core/database/sql.ts'

/** The newest terms of the store that a user `u` accepted; null without any. */
export const acceptedTermsOf = (sql: Sql | Tx) => sql`
  (select max(a.version) from terms_acceptances a where a.user_uid = u.uid)`

export async function hasAcceptedTerms(
  sql: Sql,
  user_uid: string,
  version: number,
): Promise<boolean> {
  const [row] = await sql`
    select from terms_acceptances
    where user_uid = ${user_uid} and version >= ${version}
    limit 1`
  return row !== undefined
}

/** Returns when the person accepted the version, which may have been earlier. */
export async function acceptTerms(sql: Sql | Tx, user_uid: string, version: number): Promise<Date> {
  await sql`
    insert into terms_acceptances (user_uid, version)
    values (${user_uid}, ${version})
    on conflict do nothing`
  const [row] = await sql<{ accepted_at: Date }[]>`
    select accepted_at
    from terms_acceptances
    where user_uid = ${user_uid} and version = ${version}`
  return row!.accepted_at
}
