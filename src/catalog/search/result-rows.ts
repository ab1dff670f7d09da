import { batched } from '../../core/database/batch.ts'
import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { passesAdultFilter } from '../../listings/listing/visibility.ts'
import { clearPeriodically } from '../../listings/page/invalidation.ts'
import { type ResultRow, type RowState, readRowStates, readRows } from './feed/queries.ts'

/** Rows are cached while nothing that they show changes. A row takes about two kilobytes. */
const MAX_CACHED = 10_000
/** The JSON of a row for viewers who see adult listings, and for others. */
export type RowTexts = { web_url: string; json: string; adult_json: string }
/** A row, and its JSON once it was needed. */
export type CachedRow = ResultRow & { texts?: RowTexts }
const cache = createCache<CachedRow>({ max_entries: MAX_CACHED })
const clearIfDue = clearPeriodically(() => cache.clear())

/** The current rows of these listings, without those that the viewer may not see. */
export async function freshRows(
  core: Core,
  uids: readonly string[],
  sees_adult: boolean,
): Promise<Map<string, CachedRow>> {
  if (!uids.length) return new Map()
  clearIfDue()
  const states = await statesOf(core, uids)
  const rows = new Map<string, CachedRow>()
  const missing: string[] = []
  for (const uid of uids) {
    const state = states.get(uid)
    if (!state || !passesAdultFilter(state, sees_adult)) continue
    const row = cache.get(uid)
    if (row && isFresh(row, state)) rows.set(uid, row)
    else missing.push(uid)
  }
  for (const row of missing.length ? await core.read((sql) => readRows(sql, missing)) : []) {
    cache.set(row.uid, row)
    if (passesAdultFilter(row, sees_adult)) rows.set(row.uid, row)
  }
  return rows
}

const isFresh = (row: ResultRow, { freshness }: RowState) =>
  row.freshness === freshness && (row.changes_at === null || row.changes_at.getTime() > Date.now())

/** Pages that are read in the same turn of the event loop share one query. */
const statesOf = batched(async (core: Core, pages: (readonly string[])[]) => {
  const states = await core.read((sql) => readRowStates(sql, [...new Set(pages.flat())]))
  const byUid = new Map(states.map((state) => [state.uid, state]))
  return pages.map(() => byUid)
})
