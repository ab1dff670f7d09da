import type { Core } from '../../core/runtime/core.ts'
import { createRefreshingCache, isLarge } from '../refreshing-cache.ts'
import { countTags, type TagCount } from './queries.ts'

export const TAGS_DEFAULT = 20
export const TAGS_MOST = 50
/** Of a large catalog so many of the most used tags are told apart. */
const MOST_KEPT = 100_000

// Counted again every ten minutes at most, and not more than a hundredth of the time.
const keeping = { cost_factor: 100, max_age_ms: 600_000 }
const keepers = new WeakMap<Core, ReturnType<typeof createRefreshingCache<TagCount[]>>>()

/** What someone has typed of a tag, as the tag would be spelled; a dash at the end is the beginning of its next word. */
export const readPrefix = (text: string) =>
  text
    .trimStart()
    .toLowerCase()
    .replace(/[ _-]+/g, '-')
    .replace(/^-/, '')

/** The first of the counts, which come most used first, that begin so. */
export function chooseTags(counts: readonly TagCount[], prefix: string, limit: number): TagCount[] {
  const chosen: TagCount[] = []
  for (const one of counts) {
    if (chosen.length === limit) break
    if (one.tag.startsWith(prefix)) chosen.push(one)
  }
  return chosen
}

export async function popularTags(core: Core, prefix: string, limit: number): Promise<TagCount[]> {
  if (!(await isLarge(core))) return core.read((sql) => countTags(sql, prefix, limit))
  const keep = keepers.get(core) ?? createRefreshingCache<TagCount[]>(keeping)
  keepers.set(core, keep)
  return chooseTags(
    await keep('all', () => core.read((sql) => countTags(sql, '', MOST_KEPT), core.slow)),
    prefix,
    limit,
  )
}
