import type { Sql } from '../../core/database/sql.ts'
import { whereIndexable } from '../cards/queries.ts'

export type FeedRow = {
  uid: string
  vanity_name: string
  name: string
  tagline: string
  username: string
  genres: string[]
  tags: string[]
  published_at: Date
  updated_at: Date
}
export type FeedSort = 'newest' | 'updated'

const columns = (sql: Sql) => sql`
  l.uid, l.vanity_name, l.name, l.tagline, u.username, l.genres, l.tags, coalesce(l.published_at, l.created_at) as published_at, l.updated_at`

/** The newest or last edited listings, of everyone or of one developer. */
export async function readNews(
  sql: Sql,
  sort: FeedSort,
  limit: number,
  owner_uid?: string,
): Promise<FeedRow[]> {
  const order =
    sort === 'newest' ? sql`l.published_at desc, l.uid desc` : sql`l.updated_at desc, l.uid desc`
  return sql<FeedRow[]>`
    select ${columns(sql)} from listings l join users u on u.uid = l.owner_uid
    where ${whereIndexable(sql)} ${owner_uid ? sql`and l.owner_uid = ${owner_uid}` : sql``} order by ${order} limit ${limit}`
}

/** Of listings found elsewhere, those that machines may read of now, in the order given. */
export async function readFound(sql: Sql, uids: string[]): Promise<FeedRow[]> {
  return sql<FeedRow[]>`
    select ${columns(sql)} from unnest(${uids}::uuid[]) with ordinality as found (uid, place)
      join listings l on l.uid = found.uid join users u on u.uid = l.owner_uid
    where ${whereIndexable(sql)} order by found.place`
}
