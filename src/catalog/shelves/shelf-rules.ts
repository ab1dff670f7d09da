import type { AssetType, SessionBucket, Status } from '../../listings/fields/fields.ts'

/**
 * What a listing must be to appear on a shelf. All shelves also require that it is public and not
 * adult, that its owner is verified, and that it has a clean stable download.
 */
export type ListingRule = {
  types: readonly AssetType[]
  statuses?: readonly Status[]
  session_bucket?: SessionBucket
  /** The launch health of the newest stable build is excellent or healthy. */
  launches_well?: true
  /** The newest stable build is not known to fail on some devices. It may be unrated. */
  not_failing?: true
  thumbnail?: true
  cover?: true
  /** First published at most this many days ago. */
  published_days?: number
  /** Seen on fewer devices, and first launched successfully at most this many days ago. */
  undiscovered?: { devices: number; boot_days: number }
  /** Passes the listing check today. Pages older than a check may not. */
  passes_check?: true
  /** Made with the engine that the operator of this service has configured. */
  house_engine?: true
  /** Has a clean stable build that can be played in the browser. */
  browser?: true
  /** Reviewed in this many days, or tagged by its players. */
  activity_days?: number
}

export type ShelfRule = ListingRule & { order: 'daily' | 'newest' | 'uploaded' | 'community' }

const games = ['game'] as const
const playable = ['game', 'application'] as const

export const shelfRules = {
  tonight: { types: games, order: 'daily', session_bucket: '15m', launches_well: true },
  unheard_of: {
    types: playable,
    order: 'daily',
    published_days: 60,
    undiscovered: { devices: 50, boot_days: 14 },
    passes_check: true,
  },
  featured: { types: games, order: 'daily', thumbnail: true, launches_well: true },
  new: { types: playable, order: 'newest', published_days: 30 },
  recently_updated: { types: playable, order: 'uploaded' },
  made_with_svc_engine: { types: playable, order: 'daily', house_engine: true },
  in_development: { types: games, order: 'daily', statuses: ['development', 'prototype'] },
  browser_playable: { types: games, order: 'daily', browser: true },
  community: { types: playable, order: 'community', activity_days: 90 },
  tools_and_assets: { types: ['tool', 'mod', 'plugin', 'game_asset', 'dev_asset'], order: 'daily' },
} as const satisfies Record<string, ShelfRule>

/** The listing that the home page shows large, see `loadSpotlight`. Not a shelf of the API. */
export const spotlightRule: ListingRule = { types: games, cover: true, not_failing: true }

export type ShelfKind = keyof typeof shelfRules
export const shelfKinds = Object.keys(shelfRules) as ShelfKind[]
export const isShelf = (kind: string): kind is ShelfKind => Object.hasOwn(shelfRules, kind)
