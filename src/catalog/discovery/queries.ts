import { isVerified } from '../../accounts/people/role-queries.ts'
import type { Sql } from '../../core/database/sql.ts'
import { whereShownToSearchEngines } from '../cards/queries.ts'

/** A developer by name, ignoring case. They may have no public listings. */
export async function findDeveloper(
  sql: Sql,
  username: string,
): Promise<{ uid: string; username: string } | undefined> {
  const [row] = await sql<{ uid: string; username: string }[]>`
    select u.uid, u.username
    from users u
    where lower(u.username) = lower(${username}) and ${isVerified(sql)}`
  return row
}

/** Whether a developer has an indexable listing, and so is part of the sitemap. */
export async function isDeveloperIndexable(sql: Sql, uid: string): Promise<boolean> {
  const [row] = await sql<{ indexable: boolean }[]>`
    select exists (
      select
      from listings l
      join users u on u.uid = l.owner_uid
      where l.owner_uid = ${uid} and ${whereShownToSearchEngines(sql)}) as indexable`
  return row!.indexable
}

/** An indexable listing by the parts of its URL. */
export async function findIndexable(
  sql: Sql,
  username: string,
  vanity_name: string,
): Promise<{ uid: string; parent_username: string | null } | undefined> {
  const [row] = await sql<{ uid: string; parent_username: string | null }[]>`
    select l.uid, (
      select p.username
      from listings o
      join users p on p.uid = o.owner_uid
      where o.uid = l.parent_uid) as parent_username
    from listings l
    join users u on u.uid = l.owner_uid
    where lower(u.username) = lower(${username})
      and l.vanity_name = ${vanity_name}
      and ${whereShownToSearchEngines(sql)}`
  return row
}
