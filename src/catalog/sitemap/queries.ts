import type { Sql } from '../../core/database/sql.ts'
import { whereIndexable } from '../../listings/listing/visibility-queries.ts'
import { whereShownToSearchEngines } from '../cards/queries.ts'

export type SitemapRow = {
  asset_id: number
  uid: string
  vanity_name: string
  username: string
  updated_at: Date
  /**
   * The last change of any listing of the developer. Only the first listing of a developer has it,
   * so that each developer is included once.
   */
  developer_updated_at: Date | null
}

export type Span = { after: number; up_to: number | null; owner_uid?: string }

/** The indexable listings of a span in the order of their creation, which no edit changes. */
export async function readSitemap(
  sql: Sql,
  { after, up_to, owner_uid }: Span,
  limit: number,
): Promise<SitemapRow[]> {
  const bySameOwner = sql`o.owner_uid = l.owner_uid and ${whereIndexable(sql, 'o')}`
  return sql<SitemapRow[]>`
    select l.asset_id, l.uid, l.vanity_name, u.username, l.updated_at,
      case when not exists (
        select from listings o where ${bySameOwner} and o.asset_id < l.asset_id)
      then (select max(o.updated_at) from listings o where ${bySameOwner})
      end as developer_updated_at
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereShownToSearchEngines(sql)}
      and l.asset_id > ${after}
      ${up_to === null ? sql`` : sql`and l.asset_id <= ${up_to}`}
      ${owner_uid ? sql`and l.owner_uid = ${owner_uid}` : sql``}
    order by l.asset_id
    limit ${limit}`
}

export type SectionRow = { section: number; updated_at: Date }

/** The sections that are not empty, of `size` listings each, numbered from 1. */
export async function readSections(sql: Sql, size: number): Promise<SectionRow[]> {
  return sql<SectionRow[]>`
    select ((l.asset_id - 1) / ${size}::int + 1)::int as section, max(l.updated_at) as updated_at
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereShownToSearchEngines(sql)}
    group by 1
    order by 1`
}
