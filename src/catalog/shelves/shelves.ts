import type { Sql } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { AssetType, SessionBucket, Status } from '../../listings/fields/fields.ts'
import {
  type OperatingSystem,
  operatingSystems,
  osAliases,
} from '../../listings/fields/versions.ts'
import { checkListing } from '../../listings/listing/check.ts'
import { readManyFacts } from '../../listings/listing/queries.ts'
import type { CardRow } from '../cards/queries.ts'
import { createRefreshingCache, isLarge } from '../refreshing-cache.ts'
import { BOXES, dailyOrder, dateOf, nextWindow, windows } from './daily-order.ts'
import {
  type Daily,
  findByVoices,
  findDaily,
  findNewest,
  findUploaded,
  readShelf,
} from './queries.ts'

export const SHELF_DEFAULT = 12
export const SHELF_MOST = 24
/** More than are shown, so that some may leave before a shelf is looked for anew. */
const WANTED = 2 * SHELF_MOST

/** What a listing must be to stand on a shelf, beyond what all need: public, not adult, a verified owner, a clean stable download. */
export type ShelfRule = {
  types: readonly AssetType[]
  order: 'daily' | 'newest' | 'uploaded' | 'voices'
  statuses?: readonly Status[]
  session_bucket?: SessionBucket
  /** The newest stable build starts well: rated excellent or healthy. */
  starts_well?: true
  thumbnail?: true
  /** First published at most so many days ago. */
  published_days?: number
  /** Seen on fewer devices, and its first good start at most so many days ago. */
  unheard?: { devices: number; boot_days: number }
  /** Passes the listing check today, which pages older than the check may not. */
  checked?: true
  /** Made with the engine that this service calls its own. */
  house_engine?: true
  /** A clean stable build that runs in the browser. */
  browser?: true
  /** Reviewed in so many days, or tagged by its players. */
  voices_days?: number
}

const games = ['game'] as const
const played = ['game', 'application'] as const

export const shelves = {
  tonight: { types: games, order: 'daily', session_bucket: '15m', starts_well: true },
  unheard_of: {
    types: played,
    order: 'daily',
    published_days: 60,
    unheard: { devices: 50, boot_days: 14 },
    checked: true,
  },
  featured: { types: games, order: 'daily', thumbnail: true, starts_well: true },
  new: { types: played, order: 'newest', published_days: 30 },
  recently_updated: { types: played, order: 'uploaded' },
  made_with_svc_engine: { types: played, order: 'daily', house_engine: true },
  in_development: { types: games, order: 'daily', statuses: ['development', 'prototype'] },
  browser_playable: { types: games, order: 'daily', browser: true },
  community: { types: played, order: 'voices', voices_days: 90 },
  tools_and_assets: { types: ['tool', 'mod', 'plugin', 'game_asset', 'dev_asset'], order: 'daily' },
} as const satisfies Record<string, ShelfRule>

export type ShelfKind = keyof typeof shelves
export const shelfKinds = Object.keys(shelves) as ShelfKind[]
export const isShelf = (kind: string): kind is ShelfKind => Object.hasOwn(shelves, kind)

/** The operating system asked for, by any of its names; a word that is none asks for nothing. */
export function readOs(word: string | undefined): OperatingSystem | null {
  const name = word?.trim().toLowerCase() ?? ''
  const named = Object.hasOwn(osAliases, name) ? osAliases[name] : name
  return operatingSystems.find((os) => os === named) ?? null
}

/** One shelf as it is looked for: which, for whom, when. */
export type Asked = {
  kind: ShelfKind
  rule: ShelfRule
  os: OperatingSystem | null
  now: Date
  house_engine: string
}

// In a large catalog what was found for a shelf is kept for up to a minute, at a twentieth of a core. What stands on it is held to every rule again,
// each time.
const keeping = { cost_factor: 20, max_age_ms: 60_000 }
type Room = {
  keep: ReturnType<typeof createRefreshingCache<string[]>>
  window: Map<string, number>
}
const rooms = new WeakMap<Core, Room>()

export type Shelf = { kind: ShelfKind; os: OperatingSystem | null; date: string; rows: CardRow[] }

export async function shelf(
  core: Core,
  kind: ShelfKind,
  os: OperatingSystem | null,
  limit: number,
  now: Date,
): Promise<Shelf> {
  const asked: Asked = {
    kind,
    rule: shelves[kind],
    os,
    now,
    house_engine: core.config.house_engine,
  }
  const { keep, window } = roomOf(core)
  const date = dateOf(now)
  const look = () => core.read((sql) => find(sql, asked, window))
  const found = (await isLarge(core)) ? await keep(`${kind} ${os} ${date}`, look) : await look()
  const rows = await core.read((sql) => standing(sql, asked, found, limit))
  // Many have left since it was looked for: there may be others.
  const short = rows.length < limit && found.length === WANTED
  return {
    kind,
    os,
    date,
    rows: short
      ? await look().then((all) => core.read((sql) => standing(sql, asked, all, limit)))
      : rows,
  }
}

function roomOf(core: Core): Room {
  const room = rooms.get(core) ?? {
    keep: createRefreshingCache<string[]>(keeping),
    window: new Map(),
  }
  rooms.set(core, room)
  return room
}

/** Of the listings found for a shelf, the first that belong there now. */
async function standing(sql: Sql, asked: Asked, uids: string[], limit: number): Promise<CardRow[]> {
  return readShelf(sql, asked, await passing(sql, asked.rule, uids), limit)
}

async function passing(sql: Sql, { checked }: ShelfRule, uids: string[]): Promise<string[]> {
  if (!checked || !uids.length) return uids
  const facts = await readManyFacts(sql, uids)
  return uids.filter((uid) => facts.has(uid) && checkListing(facts.get(uid)!).ready)
}

function find(sql: Sql, asked: Asked, window: Map<string, number>): Promise<string[]> {
  const by = {
    daily: () => findToday(sql, asked, window),
    newest: () => findNewest(sql, asked, WANTED),
    uploaded: () => findUploaded(sql, asked, WANTED),
    voices: () => findByVoices(sql, asked, WANTED),
  }
  return by[asked.rule.order]()
}

/** The first of the day's order, looked for in as few boxes as will do. */
async function findToday(sql: Sql, asked: Asked, window: Map<string, number>): Promise<string[]> {
  const order = dailyOrder(dateOf(asked.now))
  const key = `${asked.kind} ${asked.os}`
  const found: Daily[] = []
  for (const part of windows(window.get(key))) {
    // Where some may yet fail the check, all of a window are looked at.
    const more = await findDaily(sql, asked, order, part, asked.rule.checked ? null : WANTED)
    const ready = new Set(
      await passing(
        sql,
        asked.rule,
        more.map(({ uid }) => uid),
      ),
    )
    found.push(...more.filter(({ uid }) => ready.has(uid)))
    if (found.length >= WANTED) break
  }
  window.set(key, nextWindow((found[WANTED - 1]?.place ?? BOXES) + 1))
  return found.slice(0, WANTED).map(({ uid }) => uid)
}
