import type { Sql } from '../../core/database/sql.ts'
import { wherePublic } from '../../listings/listing/visibility-queries.ts'

/** Further people with the same prefix are not looked at, so that a short prefix stays cheap. */
const MAX_CANDIDATES = 200

/** Developers with a public listing whose usernames begin with a text. */
export async function findDevelopers(
  sql: Sql,
  { prefix, sees_adult, limit }: { prefix: string; sees_adult: boolean; limit: number },
): Promise<{ username: string }[]> {
  const pattern = `${prefix.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<{ username: string }[]>`
    select u.username
    from (
      select uid, username
      from users
      where lower(username) like ${pattern} and developer_enabled_at is not null
      order by lower(username)
      limit ${MAX_CANDIDATES}) u
    where exists (
      select
      from listings l
      where l.owner_uid = u.uid and ${wherePublic(sql)} and (${sees_adult} or not l.adult))
    order by length(u.username), u.username
    limit ${limit}`
}
