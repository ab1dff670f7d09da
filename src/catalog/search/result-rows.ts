import { batched } from '../../core/database/batch.ts'
import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { forgetting } from '../../listings/page/invalidation.ts'
import { type ResultRow, type RowState, readRowStates, readRows } from './feed/queries.ts'

/** Rows are kept while nothing they show has changed; about two kilobytes each. */
const MAX_CACHED = 10_000
/** A row, and its text once somebody asked for it. */
export type KeptRow = ResultRow & { text?: { web_url: string; json: string } }
const kept = createCache<KeptRow>({ max_entries: MAX_CACHED })
const forgetOld = forgetting(() => kept.clear())

/** The rows of these listings as they are now, without those that are not this viewer's to see. */
export async function freshRows(
  core: Core,
  uids: readonly string[],
  sees_adult: boolean,
): Promise<Map<string, KeptRow>> {
  if (!uids.length) return new Map()
  forgetOld()
  const states = await statesOf(core, uids)
  const known = new Map<string, KeptRow>()
  const missing: string[] = []
  for (const uid of uids) {
    const state = states.get(uid)
    if (!state || (state.adult && !sees_adult)) continue
    const row = kept.get(uid)
    if (row && isFresh(row, state)) known.set(uid, row)
    else missing.push(uid)
  }
  for (const row of missing.length ? await core.read((sql) => readRows(sql, missing)) : []) {
    kept.set(row.uid, row)
    if (!row.adult || sees_adult) known.set(row.uid, row)
  }
  return known
}

const isFresh = (row: ResultRow, { freshness }: RowState) =>
  row.freshness === freshness && (row.changes_at === null || row.changes_at.getTime() > Date.now())

/** Pages that are filled in one turn of the event loop share one query. */
const statesOf = batched(async (core: Core, pages: (readonly string[])[]) => {
  const states = await core.read((sql) => readRowStates(sql, [...new Set(pages.flat())]))
  const byUid = new Map(states.map((state) => [state.uid, state]))
  return pages.map(() => byUid)
})
