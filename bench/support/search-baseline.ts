import type { SearchQuery } from '../../src/catalog/search/query/parameters.ts'

/** The same search with PostgreSQL full-text search: the page in its order and the total. */
export function baselineSql(query: SearchQuery): { text: string; values: unknown[] } {
  const values: unknown[] = []
  const value = (parameter: unknown) => `$${values.push(parameter)}`
  const where = ['not adult']
  let rank = '0::int'
  if (query.q) {
    // The last word is a prefix, as in the search of the service.
    const words = `${query.q.split(' ').join(' & ')}:*`
    const tsquery = `to_tsquery('simple', ${value(words)})`
    where.push(`words @@ ${tsquery}`)
    rank = `ts_rank(words, ${tsquery})`
  }
  if (query.tags) {
    where.push(`tags && ${value(query.tags)}::text[]`)
    rank = `(select count(*) from unnest(tags) t where t = any(${value(query.tags)}::text[]))`
  }
  if (query.genres) where.push(`genres && ${value(query.genres)}::text[]`)
  if (query.tone) where.push(`tone && ${value(query.tone)}::text[]`)
  if (query.session_bucket)
    where.push(`session_bucket = any(${value(query.session_bucket)}::text[])`)
  if (query.asset_type) where.push(`asset_type = any(${value(query.asset_type)}::text[])`)
  if (query.exclude_tags) where.push(`not tags && ${value(query.exclude_tags)}::text[]`)
  if (query.exclude_warnings)
    where.push(`not content_warnings && ${value(query.exclude_warnings)}::text[]`)
  if (query.players)
    where.push(`players_min <= ${value(query.players)} and players_max >= ${value(query.players)}`)
  if (query.os && query.arch) {
    const { os, arch } = query
    const platforms = os.flatMap((os) => arch.map((arch) => `${os}/${arch}`))
    where.push(`platforms && ${value(platforms)}::text[]`)
  } else if (query.os) where.push(`os && ${value(query.os)}::text[]`)
  if (query.engine) where.push(`uid in (${rangesSql(query, value)})`)
  const page = query.page ?? 1
  const order =
    query.sort === 'newest'
      ? 'published_at desc, uid'
      : `problem, ${rank} desc, published_at desc, uid`
  return {
    text: `
      select uid, count(*) over () as total
      from bench_text
      where ${where.join(' and ')}
      order by ${order}
      limit 20 offset ${(page - 1) * 20}`,
    values,
  }
}

function rangesSql(query: SearchQuery, value: (parameter: unknown) => string): string {
  const version = `string_to_array(${value(query.engine_version)}, '.')::int[]`
  return `
    select game_uid
    from listing_engine_ranges
    where engine = any(${value(query.engine)}::text[])
      and (min_version is null or string_to_array(min_version, '.')::int[] <= ${version})
      and (max_version is null or string_to_array(max_version, '.')::int[] >= ${version})
      and (renderer is null or renderer = any(${value(query.renderer)}::text[]))`
}
