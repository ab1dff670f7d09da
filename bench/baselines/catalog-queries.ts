import { cardColumns, whereShownToSearchEngines } from '../../src/catalog/cards/queries.ts'
import { readExport } from '../../src/catalog/export/queries.ts'
import { whereOnShelf } from '../../src/catalog/shelves/queries.ts'
import { type ShelfKind, shelfRules } from '../../src/catalog/shelves/shelf-rules.ts'
import type { ShelfQuery } from '../../src/catalog/shelves/shelves.ts'
import type { Sql } from '../../src/core/database/sql.ts'
import type { Core } from '../../src/core/runtime/core.ts'

/** The same shelf as one query that sorts all its listings. */
export async function readShelfNaively(core: Core, kind: ShelfKind, now: Date, limit: number) {
  const { sql } = core
  const query: ShelfQuery = {
    kind,
    rule: shelfRules[kind],
    os: null,
    now,
    house_engine: core.config.house_engine,
  }
  const date = now.toISOString().slice(0, 10)
  const orders = {
    daily: sql`md5(${date} || l.uid::text)`,
    newest: sql`l.published_at desc`,
    uploaded: sql`
      (select max(s.uploaded_at) from clean_stable_files s where s.game_uid = l.uid) desc`,
    community: sql`(
      select count(*) from reviews r
      where r.game_uid = l.uid and r.created_at >= now() - interval '90 days'
    ) + (select count(*) from shown_community_tags c where c.game_uid = l.uid) desc`,
  }
  return sql`
    select ${cardColumns(sql)}
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereOnShelf(sql, query, false)}
    order by ${orders[query.rule.order]}
    limit ${limit}`
}

export const sitemapByOffset = (sql: Sql, offset: number, limit: number) => sql`
  select l.vanity_name, u.username, l.updated_at
  from listings l
  join users u on u.uid = l.owner_uid
  where ${whereShownToSearchEngines(sql)}
  order by l.created_at, l.uid
  limit ${limit} offset ${offset}`

export async function sitemapAtOnce(sql: Sql) {
  const rows = await sql`
    select l.uid, l.vanity_name, u.username, l.updated_at
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereShownToSearchEngines(sql)}
    limit 50000`
  const developers = await sql`
    select u.username, max(l.updated_at) as updated_at
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereShownToSearchEngines(sql)}
    group by u.username
    limit 50000`
  return JSON.stringify({ rows, developers })
}

/** Pages by offset, as most APIs have them. */
export async function exportByOffset({ sql }: Core, after: number) {
  const size = 250
  for (let offset = Math.floor(after * 0.85); ; offset += size) {
    const page = await sql`
      select l.asset_id
      from listings l
      join users u on u.uid = l.owner_uid
      where ${whereShownToSearchEngines(sql)}
      order by l.asset_id
      limit ${size} offset ${offset}`
    if (!page.length) return
    JSON.stringify(await readExport(sql, page[0]!.asset_id - 1, page.length))
    if (page.length < size) return
  }
}
