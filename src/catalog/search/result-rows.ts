import type { Core } from '../../core/runtime/core.ts'
import { forgetting } from '../../listings/page/invalidation.ts'
import { type ResultRow, type RowState, readRowStates, readRows } from './feed/queries.ts'

/** Rows are kept while nothing they show has changed; about two kilobytes each. */
const MOST_KEPT = 10_000
/** A row, and its text once somebody asked for it. */
export type KeptRow = ResultRow & { text?: { web_url: string; json: string } }
const kept = new Map<string, KeptRow>()
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
    keep(row)
    if (!row.adult || sees_adult) known.set(row.uid, row)
  }
  return known
}

const isFresh = (row: ResultRow, { freshness }: RowState) =>
  row.freshness === freshness && (row.changes_at === null || row.changes_at.getTime() > Date.now())

function keep(row: KeptRow) {
  kept.delete(row.uid)
  kept.set(row.uid, row)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
}

type Asked = { uids: readonly string[]; answer: PromiseWithResolvers<Map<string, RowState>> }
const waiting = new WeakMap<Core, Asked[]>()

/** Pages that are filled in one turn of the event loop ask the database together. */
function statesOf(core: Core, uids: readonly string[]): Promise<Map<string, RowState>> {
  const asked: Asked = { uids, answer: Promise.withResolvers() }
  const batch = waiting.get(core)
  if (batch) batch.push(asked)
  else {
    waiting.set(core, [asked])
    setImmediate(() => void answerTogether(core))
  }
  return asked.answer.promise
}

async function answerTogether(core: Core) {
  const batch = waiting.get(core) ?? []
  waiting.delete(core)
  try {
    const states = await core.read((sql) =>
      readRowStates(sql, [...new Set(batch.flatMap(({ uids }) => uids))]),
    )
    const byUid = new Map(states.map((state) => [state.uid, state]))
    for (const { answer } of batch) answer.resolve(byUid)
  } catch (error) {
    for (const { answer } of batch) answer.reject(error)
  }
}
