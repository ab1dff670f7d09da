import type { Sql } from '../../core/database/sql.ts'
import { whereForEveryone } from '../../listings/listing/visibility-queries.ts'

export type TagCount = { tag: string; count: number }

/** How many visible listings have each tag, set by the developer or players; most used first. */
export async function countTags(sql: Sql, prefix: string, limit: number): Promise<TagCount[]> {
  return sql<TagCount[]>`
    select tag, count(*)::int as count
    from (
      select t.tag
      from listings l
      cross join lateral unnest(l.tags) as t (tag)
      where ${whereForEveryone(sql)}
      union all
      select c.tag
      from shown_community_tags c
      join listings l on l.uid = c.game_uid
      where ${whereForEveryone(sql)}) used
    where starts_with(tag, ${prefix})
    group by tag
    order by count desc, tag collate "C"
    limit ${limit}`
}
