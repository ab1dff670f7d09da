import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { isLargeCatalog } from '../catalog-size.ts'
import { createRefreshingCache } from '../refreshing-cache.ts'
import { countTags, type TagCount } from './queries.ts'

export const TAGS_DEFAULT = 20
export const TAGS_MAX = 50
/** In a large catalog only this many of the most used tags are offered. */
const MAX_CACHED_TAGS = 100_000

/** Counted for at most a hundredth of the time; counts are at most ten minutes old. */
const refreshPolicy = { cost_factor: 100, max_age_ms: 600_000 }
const cacheOf = perCore(() => createRefreshingCache<TagCount[]>(refreshPolicy))

/** The beginning of a tag in the spelling of tags. A dash at the end begins the next word. */
export const readPrefix = (text: string) =>
  text
    .trimStart()
    .toLowerCase()
    .replace(/[ _-]+/g, '-')
    .replace(/^-/, '')

/** The first tags with a prefix. The counts are sorted, most used first. */
function chooseTags(counts: readonly TagCount[], prefix: string, limit: number): TagCount[] {
  const chosen: TagCount[] = []
  for (const count of counts) {
    if (chosen.length === limit) break
    if (count.tag.startsWith(prefix)) chosen.push(count)
  }
  return chosen
}

export async function popularTags(core: Core, prefix: string, limit: number): Promise<TagCount[]> {
  if (!(await isLargeCatalog(core))) return core.read((sql) => countTags(sql, prefix, limit))
  const counts = await cacheOf(core)('all', () =>
    core.read((sql) => countTags(sql, '', MAX_CACHED_TAGS), core.slow),
  )
  return chooseTags(counts, prefix, limit)
}
