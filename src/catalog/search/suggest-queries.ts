import { avatarOf } from '../../accounts/people/queries.ts'
import type { Sql } from '../../core/database/sql.ts'
import { wherePublic } from '../../listings/listing/visibility-queries.ts'

/** Further people with the same prefix are not looked at, so that a short prefix stays cheap. */
const MAX_CANDIDATES = 200

/** With the hash of their avatar. */
export type MatchingDeveloper = { username: string; avatar: string | null }

/** Developers with a public listing whose usernames begin with a text. */
export async function findDevelopers(
  sql: Sql,
  { prefix, sees_adult, limit }: { prefix: string; sees_adult: boolean; limit: number },
): Promise<MatchingDeveloper[]> {
  const pattern = `${prefix.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<MatchingDeveloper[]>`
    select u.username, ${avatarOf(sql)} as avatar
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
