import type { Sql } from '../../core/database/sql.ts'
import { currentPrice } from '../../listings/editions/queries.ts'
import type { OfferFacts } from '../../listings/prices/offers.ts'
import { runningSaleFacts } from '../../listings/prices/queries.ts'
import { whereShownToSearchEngines } from '../cards/queries.ts'

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
  price_cents: number
  /** While a sale of the listing runs. */
  sale_facts: OfferFacts | null
}
export type FeedSort = 'newest' | 'updated'

/**
 * The time of publication is taken within the transaction whose start is the time of the edit, so
 * the later of the two is when the entry last changed.
 */
const feedColumns = (sql: Sql) => sql`
  l.uid, l.vanity_name, l.name, l.tagline, u.username, l.genres, l.tags,
  coalesce(l.published_at, l.created_at) as published_at,
  greatest(l.updated_at, l.published_at) as updated_at,
  ${currentPrice(sql)} as price_cents, ${runningSaleFacts(sql)} as sale_facts`

/** The newest or last edited indexable listings, of all developers or of one. */
export async function readFeed(
  sql: Sql,
  sort: FeedSort,
  limit: number,
  owner_uid?: string,
): Promise<FeedRow[]> {
  const order =
    sort === 'newest' ? sql`l.published_at desc, l.uid desc` : sql`l.updated_at desc, l.uid desc`
  return sql<FeedRow[]>`
    select ${feedColumns(sql)}
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereShownToSearchEngines(sql)}
      ${owner_uid ? sql`and l.owner_uid = ${owner_uid}` : sql``}
    order by ${order}
    limit ${limit}`
}

/** Those of the listings that are indexable now, in the order given. */
export async function readIndexable(sql: Sql, uids: string[]): Promise<FeedRow[]> {
  return sql<FeedRow[]>`
    select ${feedColumns(sql)}
    from unnest(${uids}::uuid[]) with ordinality as result (uid, position)
    join listings l on l.uid = result.uid
    join users u on u.uid = l.owner_uid
    where ${whereShownToSearchEngines(sql)}
    order by result.position`
}
