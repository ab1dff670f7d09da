import type { Sql } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import {
  type OperatingSystem,
  operatingSystems,
  osAliases,
} from '../../listings/fields/platforms.ts'
import { checkListing } from '../../listings/listing/check.ts'
import { readManyFacts } from '../../listings/listing/facts-queries.ts'
import type { CardRow } from '../cards/queries.ts'
import { isLargeCatalog } from '../catalog-size.ts'
import { createRefreshingCache } from '../refreshing-cache.ts'
import { BUCKETS, dailyOrder, dateOf, nextWindow, windows } from './daily-order.ts'
import {
  type DailyRow,
  findByActivity,
  findDaily,
  findNewest,
  findUploaded,
  readShelf,
} from './queries.ts'
import { type ListingRule, type ShelfKind, type ShelfRule, shelfRules } from './shelf-rules.ts'

export const SHELF_DEFAULT = 12
export const SHELF_MAX = 24
/** More candidates than are shown, so that some may leave before the shelf is searched again. */
const CANDIDATES = 2 * SHELF_MAX

/** The operating system by any of its names. An unknown name means no filter. */
export function readOs(text: string | undefined): OperatingSystem | null {
  const name = text?.trim().toLowerCase() ?? ''
  const canonical = Object.hasOwn(osAliases, name) ? osAliases[name] : name
  return operatingSystems.find((os) => os === canonical) ?? null
}

/** Which listings are searched at a time. */
export type RuleQuery = {
  rule: ListingRule
  os: OperatingSystem | null
  now: Date
  house_engine: string
}
/** One shelf as it is queried at a time. */
export type ShelfQuery = RuleQuery & { kind: ShelfKind; rule: ShelfRule }

/**
 * In a large catalog the candidates of a shelf are cached for up to a minute, for at most a
 * twentieth of a core. Each response checks the candidates against every rule again.
 */
const refreshPolicy = { cost_factor: 20, max_age_ms: 60_000 }
const stateOf = perCore(() => ({
  cachedCandidates: createRefreshingCache<string[]>(refreshPolicy),
  /** How many buckets of the daily order were enough the last time, by shelf. */
  window_sizes: new Map<string, number>(),
}))

export type Shelf = { kind: ShelfKind; os: OperatingSystem | null; date: string; rows: CardRow[] }

export async function loadShelf(
  core: Core,
  kind: ShelfKind,
  { os, limit, now }: { os: OperatingSystem | null; limit: number; now: Date },
): Promise<Shelf> {
  const query: ShelfQuery = {
    kind,
    rule: shelfRules[kind],
    os,
    now,
    house_engine: core.config.house_engine,
  }
  const { cachedCandidates, window_sizes } = stateOf(core)
  const date = dateOf(now)
  // Without origins for games, none can be played.
  if ((query.rule as ShelfRule).browser && !core.addresses.play_url)
    return { kind, os, date, rows: [] }
  const find = () => core.read((sql) => findCandidates(sql, query, window_sizes))
  const candidates = (await isLargeCatalog(core))
    ? await cachedCandidates(`${kind} ${os} ${date}`, find)
    : await find()
  const rows = await core.read((sql) => readCurrent(sql, query, candidates, limit))
  // Many cached candidates no longer belong on the shelf, so there may be others.
  const search_again = rows.length < limit && candidates.length === CANDIDATES
  if (!search_again) return { kind, os, date, rows }
  const new_candidates = await find()
  return {
    kind,
    os,
    date,
    rows: await core.read((sql) => readCurrent(sql, query, new_candidates, limit)),
  }
}

/** The cards of the first candidates that belong on the shelf now. */
async function readCurrent(
  sql: Sql,
  query: ShelfQuery,
  uids: string[],
  limit: number,
): Promise<CardRow[]> {
  return readShelf(sql, query, await passingCheck(sql, query.rule, uids), limit)
}

async function passingCheck(
  sql: Sql,
  { passes_check }: ShelfRule,
  uids: string[],
): Promise<string[]> {
  if (!passes_check || !uids.length) return uids
  const facts = await readManyFacts(sql, uids)
  return uids.filter((uid) => facts.has(uid) && checkListing(facts.get(uid)!).ready)
}

function findCandidates(
  sql: Sql,
  query: ShelfQuery,
  window_sizes: Map<string, number>,
): Promise<string[]> {
  const finders = {
    daily: () => findToday(sql, query, window_sizes),
    newest: () => findNewest(sql, query, CANDIDATES),
    uploaded: () => findUploaded(sql, query, CANDIDATES),
    community: () => findByActivity(sql, query, CANDIDATES),
  }
  return finders[query.rule.order]()
}

/** The first listings in the order of the day, found by reading as few buckets as possible. */
async function findToday(
  sql: Sql,
  query: ShelfQuery,
  window_sizes: Map<string, number>,
): Promise<string[]> {
  const order = dailyOrder(dateOf(query.now))
  const key = `${query.kind} ${query.os}`
  const candidates: DailyRow[] = []
  for (const window of windows(window_sizes.get(key))) {
    // Where listings may fail the check, all of a window are read.
    const limit = query.rule.passes_check ? null : CANDIDATES
    const rows = await findDaily(sql, query, { order, window, limit })
    const uids = rows.map(({ uid }) => uid)
    const ready = new Set(await passingCheck(sql, query.rule, uids))
    candidates.push(...rows.filter(({ uid }) => ready.has(uid)))
    if (candidates.length >= CANDIDATES) break
  }
  const last = candidates[CANDIDATES - 1]
  window_sizes.set(key, nextWindow((last?.position ?? BUCKETS) + 1))
  return candidates.slice(0, CANDIDATES).map(({ uid }) => uid)
}
