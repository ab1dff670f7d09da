import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../../core/database/sql.ts'
import { limitQueries } from '../../../core/database/timeouts.ts'
import { HOUR_MS, MINUTE_MS } from '../../../core/runtime/units.ts'
import {
  advanceMerges,
  applyChanges,
  type Change,
  createIndex,
  type Index,
  sizeOf,
} from '../index/index.ts'
import {
  type IndexedListing,
  isOutdated,
  type Position,
  type ReportProblem,
  readChanges,
  readChangesSince,
  readDocuments,
  readDocumentsAfter,
  readIdentity,
  readPosition,
} from './queries.ts'
import { loadSnapshot, saveSnapshot } from './snapshot.ts'

const POLL_MS = 500
const RETRY_MS = 500
const CHANNEL = 'listing_changes'
/** How many listings are read from the database at once. */
const READ_BATCH = 1_000
const BUILD_SEGMENT_SIZE = 16_000
/** How many changes are applied before searches get a turn. */
const APPLY_BATCH = 50
/**
 * A full build creates segments that do not overlap in time, so that many merge as easily as few.
 */
const BUILD_FANOUT = 8
/** How long merging may delay a search. */
const MERGE_SLICE_MS = 4
/** Changes are deleted after a day, so a usable snapshot must be younger. */
const MAX_AGE_HOURS = 20
/** A smaller catalog loads quickly from the database, so it needs no snapshot. */
const MIN_SNAPSHOT_SIZE = 2_000
/** Written when this share of the listings has changed, or any listing and this long ago. */
const SNAPSHOT_CHANGED_SHARE = 0.02
const SNAPSHOT_INTERVAL_MS = 10 * MINUTE_MS
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

export type IndexFeed = { index: () => Index; stop: () => Promise<void> }
type FeedListener = {
  ready: () => void
  warn: (text: string) => void
  /** Everything committed until now is in the index, except so many listings that cannot be. */
  caughtUp?: (skipped: number) => void
}
const MAX_WAIT_MS = 15_000
const UNLISTEN_MS = 1_000

export type FeedOptions = {
  folder: string
  /** How long to wait for the list of changes, before the connection is given up. */
  max_wait_ms?: number
  min_snapshot_size?: number
}
type State = {
  sql: Sql
  folder: string
  max_wait_ms: number
  min_snapshot_size: number
  identity: string
  /** The number of changes since the last snapshot, and when that was written. */
  unsaved: number
  saved_at: number
  saving: Promise<void> | undefined
  merging: Promise<void> | undefined
  index: Index
  position: Position
  /** When listings change without an edit, such as when a sale starts or ends, by uid. */
  due: Map<string, number>
  /** The listings that cannot be indexed, which is a defect of ours or of their data. */
  skipped: Set<string>
  reportProblem: ReportProblem
  stopping: AbortController
  wake: () => void
}

/** Keeps an index up to date: loads all listings, then applies every committed change. */
export function followChanges(
  sql: Sql,
  { folder, max_wait_ms = MAX_WAIT_MS, min_snapshot_size = MIN_SNAPSHOT_SIZE }: FeedOptions,
  listener: FeedListener,
): IndexFeed {
  const state: State = {
    sql,
    folder,
    max_wait_ms,
    min_snapshot_size,
    identity: '',
    unsaved: 0,
    saved_at: Date.now(),
    saving: undefined,
    merging: undefined,
    index: createIndex(),
    position: { snapshot: '', at: new Date(0), running_since: '', timeline: '' },
    due: new Map(),
    skipped: new Set(),
    reportProblem(uid, { message }) {
      if (!state.skipped.has(uid)) listener.warn(`listing ${uid} cannot be indexed: ${message}`)
      state.skipped.add(uid)
    },
    stopping: new AbortController(),
    wake: () => {},
  }
  const following = run(state, listener)
  return {
    index: () => state.index,
    async stop() {
      state.stopping.abort()
      state.wake()
      await following
    },
  }
}

async function run(state: State, { ready, warn, caughtUp }: FeedListener) {
  const { stopping } = state
  await retryUntilDone(state, warn, () => load(state, warn))
  caughtUp?.(state.skipped.size)
  const notifications = await listen(state)
  if (!stopping.signal.aborted) ready()
  while (!stopping.signal.aborted) {
    await retryUntilDone(state, warn, () => applyNewChanges(state))
    caughtUp?.(state.skipped.size)
    if (state.index.merges.length) state.merging ??= merge(state)
    if (isWorthSaving(state)) save(state, warn)
    await waitForChanges(state)
  }
  await Promise.all([state.merging, notifications.end(), state.saving])
  if (state.unsaved > 0 && state.position.snapshot) await save(state, warn)
}

/**
 * Retries until the work succeeds or the feed is stopped, so that a database restart is survived.
 */
async function retryUntilDone(
  state: State,
  warn: (text: string) => void,
  work: () => Promise<void>,
) {
  const { signal } = state.stopping
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      if (!signal.aborted) warn((error as Error).message)
      await pause(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

/**
 * Loads the snapshot if the recorded changes reach back to it, or else all listings; then applies
 * the changes since.
 */
async function load(state: State, warn: (text: string) => void) {
  state.identity = await readIdentity(state.sql)
  const snapshot = await loadSnapshot(state.folder, state.identity).catch(
    (error: Error) => void warn(error.message),
  )
  if (snapshot && !(await isOutdated(state.sql, snapshot.position, MAX_AGE_HOURS))) {
    state.index = createIndex(snapshot.segments)
    state.position = snapshot.position
    state.due = new Map(snapshot.due)
    return applyNewChanges(state)
  }
  await build(state)
  await applyNewChanges(state)
}

const isWorthSaving = ({ unsaved, saved_at, index }: State) =>
  unsaved > sizeOf(index) * SNAPSHOT_CHANGED_SHARE ||
  (unsaved > 0 && Date.now() - saved_at > SNAPSHOT_INTERVAL_MS)

/** Writes one snapshot at a time in the background. A failure only makes the next start slower. */
function save(state: State, warn: (text: string) => void): Promise<void> {
  if (sizeOf(state.index) < state.min_snapshot_size) return Promise.resolve()
  state.saving ??= (async () => {
    const { folder, identity, position, due, index } = state
    state.unsaved = 0
    state.saved_at = Date.now()
    await saveSnapshot(folder, {
      identity,
      position,
      due: [...due],
      segments: index.segments,
    }).catch((error: Error) => warn(error.message))
    state.saving = undefined
  })()
  return state.saving
}

/**
 * Builds the index from all listings. The position is read first, so that changes made meanwhile
 * are applied again.
 */
async function build(state: State) {
  const { sql, due, stopping } = state
  state.identity = await readIdentity(sql)
  const position = await readPosition(sql)
  const index = createIndex([], { fanout: BUILD_FANOUT })
  due.clear()
  state.skipped.clear()
  let waiting: IndexedListing[] = []
  for (let after: string | undefined = FIRST_UID; after && !stopping.signal.aborted; ) {
    const span = { after, limit: READ_BATCH }
    const { docs, last } = await readDocumentsAfter(sql, span, state.reportProblem)
    waiting.push(...docs)
    if (waiting.length >= BUILD_SEGMENT_SIZE || !last) {
      applyToIndex(
        state,
        index,
        waiting.map((doc) => ({ uid: doc.uid, doc })),
      )
      while (advanceMerges(index, 1_000)) {}
      waiting = []
    }
    after = last
  }
  state.index = createIndex(index.segments)
  // Merges that are due by the usual policy are done before the first search, and the snapshot
  // contains their result.
  applyChanges(state.index, [])
  while (!stopping.signal.aborted && advanceMerges(state.index, MERGE_SLICE_MS))
    await new Promise(setImmediate)
  state.position = position
  state.unsaved = sizeOf(state.index)
}

type IndexChange = { uid: string; doc: IndexedListing | null }

function applyToIndex(state: State, index: Index, changes: IndexChange[]) {
  for (const { uid, doc } of changes) {
    if (doc?.changes_at) state.due.set(uid, doc.changes_at.getTime())
    else state.due.delete(uid)
    if (doc) state.skipped.delete(uid)
  }
  try {
    applyChanges(index, changes as Change[])
  } catch {
    // One of them cannot be indexed; the others are.
    for (const change of changes) applyAlone(state, index, change)
  }
}

function applyAlone({ reportProblem }: State, index: Index, { uid, doc }: IndexChange) {
  try {
    applyChanges(index, [{ uid, doc }] as Change[])
  } catch (error) {
    applyChanges(index, [{ uid, doc: null }])
    reportProblem(uid, error as Error)
  }
}

/**
 * Applies everything committed since the last position, and listings whose expiry has passed by the
 * database's clock.
 */
async function applyNewChanges(state: State) {
  const { sql, index, due } = state
  const { uids, ...position } = await limitQueries(
    () => readChanges(sql, state.position.snapshot),
    state.max_wait_ms,
  )
  // Listings that the index has may be missing now, without a change that says so.
  if (position.timeline !== state.position.timeline) return build(state)
  // The database was unreachable for so long that changes may have been deleted unread.
  if (position.at.getTime() - state.position.at.getTime() > MAX_AGE_HOURS * HOUR_MS)
    return build(state)
  const expired = [...due].filter(([, at]) => at <= position.at.getTime()).map(([uid]) => uid)
  const reread =
    position.running_since === state.position.running_since
      ? []
      : await readChangesSince(sql, state.position.at)
  const changed = [...new Set([...uids, ...expired, ...reread])]
  for (let from = 0; from < changed.length; from += READ_BATCH) {
    const batch = changed.slice(from, from + READ_BATCH)
    const listings = await readDocuments(sql, batch, state.reportProblem)
    const docs = new Map(listings.map((doc) => [doc.uid, doc]))
    for (let i = 0; i < batch.length; i += APPLY_BATCH) {
      applyToIndex(
        state,
        index,
        batch.slice(i, i + APPLY_BATCH).map((uid) => ({ uid, doc: docs.get(uid) ?? null })),
      )
      await new Promise(setImmediate)
    }
  }
  state.position = position
  state.unsaved += changed.length
}

/** Waits for a notification, but at most half a second. */
async function waitForChanges(state: State) {
  const woken = Promise.withResolvers<void>()
  state.wake = woken.resolve
  const timer = setTimeout(woken.resolve, POLL_MS)
  await woken.promise
  clearTimeout(timer)
}

/**
 * Subscribes to notifications. They only shorten the wait, so failing to subscribe does no harm.
 */
async function listen(state: State): Promise<{ end: () => Promise<unknown> }> {
  try {
    const { unlisten } = await state.sql.listen(CHANNEL, () => state.wake())
    return { end: () => limitQueries(unlisten, UNLISTEN_MS).catch(() => {}) }
  } catch {
    return { end: async () => {} }
  }
}

/** Runs the due merges in slices, with searches in between. */
async function merge(state: State) {
  while (!state.stopping.signal.aborted && advanceMerges(state.index, MERGE_SLICE_MS))
    await new Promise(setImmediate)
  state.merging = undefined
}
