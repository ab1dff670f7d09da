import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../../core/database/sql.ts'
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
/** So many listings are read at once, and so many make a segment while the whole is read. */
const READ = 1_000
const SEGMENT = 16_000
/** So many changes are taken in before searches have their turn. */
const APPLY = 50
/** Read from nothing, the parts come in order of time, and many at once are merged as easily as few. */
const BUILD_FANOUT = 8
/** Merging gives way to searches after so long. */
const SLICE_MS = 4
/** Changes are swept after a day; a snapshot must be younger than that by far. */
const OLDEST_HOURS = 20
/** A smaller catalog is read from the database in no time. */
const SNAPSHOT_FROM = 2_000
/** Written when this part of the listings has changed, or anything and so long ago. */
const CHANGED_PART = 0.02
const SNAPSHOT_MS = 10 * 60_000
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

export type Feed = { index: () => Index; stop: () => Promise<void> }
type Listener = { ready: () => void; warn: (text: string) => void }
export type Options = { folder: string; snapshot_from?: number }
type State = {
  sql: Sql
  folder: string
  snapshot_from: number
  identity: string
  /** How much has changed since the last snapshot, and when that was. */
  unsaved: number
  saved_at: number
  saving: Promise<void> | undefined
  merging: Promise<void> | undefined
  index: Index
  position: Position
  /** Listings that change by themselves, when the stable channel they are played from ends. */
  due: Map<string, number>
  stopping: AbortController
  wake: () => void
}

/** Keeps an index true to the database: reads all there is, then every change, whenever it commits. */
export function followChanges(
  sql: Sql,
  { folder, snapshot_from = SNAPSHOT_FROM }: Options,
  listener: Listener,
): Feed {
  const state: State = {
    sql,
    folder,
    snapshot_from,
    identity: '',
    unsaved: 0,
    saved_at: Date.now(),
    saving: undefined,
    merging: undefined,
    index: createIndex(),
    position: { snapshot: '', at: new Date(0), running_since: '' },
    due: new Map(),
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

async function run(state: State, { ready, warn }: Listener) {
  const { stopping } = state
  await insist(state, warn, () => load(state, warn))
  const hint = await listen(state)
  if (!stopping.signal.aborted) ready()
  while (!stopping.signal.aborted) {
    await insist(state, warn, () => catchUp(state))
    if (state.index.merges.length) state.merging ??= merge(state)
    if (isWorthSaving(state)) save(state, warn)
    await news(state)
  }
  await Promise.all([state.merging, hint.end(), state.saving])
  if (state.unsaved > 0 && state.position.snapshot) await save(state, warn)
}

/** A database that is away comes back: tries until it works or nobody wants it any more. */
async function insist(state: State, warn: (text: string) => void, work: () => Promise<void>) {
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

/** From the snapshot, if there is one that the changes still reach back to; else from nothing. Then what has changed since. */
async function load(state: State, warn: (text: string) => void) {
  state.identity = await readIdentity(state.sql)
  const kept = await loadSnapshot(state.folder, state.identity).catch(
    (error: Error) => void warn(error.message),
  )
  if (kept && !(await isOutdated(state.sql, kept.position, OLDEST_HOURS))) {
    state.index = createIndex(kept.segments)
    state.position = kept.position
    state.due = new Map(kept.due)
    return catchUp(state)
  }
  await build(state)
  await catchUp(state)
}

const isWorthSaving = ({ unsaved, saved_at, index }: State) =>
  unsaved > sizeOf(index) * CHANGED_PART || (unsaved > 0 && Date.now() - saved_at > SNAPSHOT_MS)

/** One at a time, while everything else goes on. A snapshot that cannot be written costs the next start some time, no more. */
function save(state: State, warn: (text: string) => void): Promise<void> {
  if (sizeOf(state.index) < state.snapshot_from) return Promise.resolve()
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

/** From nothing: the position first, so that what changes while all is read is read again. */
async function build(state: State) {
  const { sql, due, stopping } = state
  const position = await readPosition(sql)
  const index = createIndex([], { fanout: BUILD_FANOUT })
  due.clear()
  let waiting: IndexedListing[] = []
  for (let after = FIRST_UID; !stopping.signal.aborted; ) {
    const docs = await readDocumentsAfter(sql, after, READ)
    waiting.push(...docs)
    if (waiting.length >= SEGMENT || docs.length < READ) {
      take(
        state,
        index,
        waiting.map((doc) => ({ uid: doc.uid, doc })),
      )
      while (advanceMerges(index, 1_000)) {}
      waiting = []
    }
    if (docs.length < READ) break
    after = docs.at(-1)!.uid
  }
  state.index = createIndex(index.segments)
  // What is due by the usual measure is merged before anyone asks, and goes into the snapshot so.
  applyChanges(state.index, [])
  while (!stopping.signal.aborted && advanceMerges(state.index, SLICE_MS))
    await new Promise(setImmediate)
  state.position = position
  state.unsaved = sizeOf(state.index)
}

function take(
  { due }: State,
  index: Index,
  changes: { uid: string; doc: IndexedListing | null }[],
) {
  for (const { uid, doc } of changes) {
    if (doc?.changes_at) due.set(uid, doc.changes_at.getTime())
    else due.delete(uid)
  }
  applyChanges(index, changes as Change[])
}

/** Everything that committed since the last look, and what has come due by the database's clock. */
async function catchUp(state: State) {
  const { sql, index, due } = state
  const { uids, ...position } = await readChanges(sql, state.position.snapshot)
  // The database was out of reach for so long that changes may have been swept unread.
  if (position.at.getTime() - state.position.at.getTime() > OLDEST_HOURS * 3_600_000)
    return build(state)
  const over = [...due].filter(([, at]) => at <= position.at.getTime()).map(([uid]) => uid)
  const again =
    position.running_since === state.position.running_since
      ? []
      : await readChangesSince(sql, state.position.at)
  const changed = [...new Set([...uids, ...over, ...again])]
  for (let from = 0; from < changed.length; from += READ) {
    const part = changed.slice(from, from + READ)
    const docs = new Map((await readDocuments(sql, part)).map((doc) => [doc.uid, doc]))
    for (let i = 0; i < part.length; i += APPLY) {
      take(
        state,
        index,
        part.slice(i, i + APPLY).map((uid) => ({ uid, doc: docs.get(uid) ?? null })),
      )
      await new Promise(setImmediate)
    }
  }
  state.position = position
  state.unsaved += changed.length
}

/** A hint, or half a second. */
async function news(state: State) {
  const woken = Promise.withResolvers<void>()
  state.wake = woken.resolve
  const timer = setTimeout(woken.resolve, POLL_MS)
  await woken.promise
  clearTimeout(timer)
}

/** Hints only shorten the wait, so that one that cannot be had is not missed. */
async function listen(state: State): Promise<{ end: () => Promise<unknown> }> {
  try {
    const { unlisten } = await state.sql.listen(CHANNEL, () => state.wake())
    return { end: () => unlisten().catch(() => {}) }
  } catch {
    return { end: async () => {} }
  }
}

/** Merges what is due in slices, with room for searches in between. */
async function merge(state: State) {
  while (!state.stopping.signal.aborted && advanceMerges(state.index, SLICE_MS))
    await new Promise(setImmediate)
  state.merging = undefined
}
