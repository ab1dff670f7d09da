import type { Core } from '../../core/runtime/core.ts'
import type { ResultRow } from './feed/queries.ts'
import type { TermCounts } from './query/suggest-terms.ts'
import { freshRows } from './result-rows.ts'
import { find, findTerms, type Viewer } from './search.ts'
import { findDevelopers, type MatchingDeveloper } from './suggest-queries.ts'

const MAX_LISTINGS = 5
const MAX_DEVELOPERS = 2
const MAX_TERMS = 3
/** Shorter texts begin too many names to be useful. */
export const MIN_LENGTH = 2

export type Suggestions = TermCounts & {
  listings: ResultRow[]
  developers: MatchingDeveloper[]
}
const none: Suggestions = { listings: [], developers: [], tags: [], engines: [] }

/** What a person may be looking for who has typed this far. */
export async function suggest(core: Core, typed: string, viewer: Viewer): Promise<Suggestions> {
  const text = typed.trim()
  if ([...text].length < MIN_LENGTH) return none
  const sees_adult = viewer?.show_adult ?? false
  const prefix = text.toLowerCase().replace(/[\s_-]+/g, '-')
  const [result, developers, terms] = await Promise.all([
    find(core, { q: text }, sees_adult, {
      offset: 0,
      limit: MAX_LISTINGS,
      facets: [],
      only_frequent_completions: true,
    }),
    core.read((sql) => findDevelopers(sql, { prefix: text, sees_adult, limit: MAX_DEVELOPERS })),
    findTerms(core, { prefix, adult: sees_adult, limit: MAX_TERMS }),
  ])
  const rows = await freshRows(core, result.uids, sees_adult)
  const listings = result.uids.flatMap((uid) => rows.get(uid) ?? [])
  return { listings, developers, ...terms }
}
