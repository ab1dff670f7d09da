import type { Sql } from '../../core/database/sql.ts'

export type TagCount = { tag: string; count: number }

/** How many visible listings have each tag, set by the developer or players; most used first. */
export async function countTags(sql: Sql, prefix: string, limit: number): Promise<TagCount[]> {
  const isVisible = sql`l.visibility = 'public' and not l.adult`
  return sql<TagCount[]>`
    select tag, count(*)::int as count
    from (
      select t.tag
      from listings l
      cross join lateral unnest(l.tags) as t (tag)
      where ${isVisible}
      union all
      select c.tag
      from shown_community_tags c
      join listings l on l.uid = c.game_uid
      where ${isVisible}) used
    where starts_with(tag, ${prefix})
    group by tag
    order by count desc, tag collate "C"
    limit ${limit}`
}
