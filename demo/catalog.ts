import type { AssetType, Status, Taxonomy } from '../src/listings/fields/fields.ts'
import type { LaunchBand } from '../src/listings/fields/launch-bands.ts'
import type { StorePlatform } from '../src/listings/fields/store-links.ts'
import type { Look } from './art.ts'
import { toolsAndPacks } from './catalog-packs.ts'
import { worlds } from './catalog-worlds.ts'
import type { Developer } from './people.ts'

type Os = 'windows' | 'linux' | 'macos' | 'web' | 'android'

/** One listing of the demo catalog. Omitted fields have the defaults of a new listing. */
export type Entry = {
  slug: string
  by: Developer
  name: string
  asset_type?: AssetType
  status?: Status
  visibility?: 'draft' | 'owner' | 'invisible'
  tagline: string
  /** The first paragraph, then a list of activities. */
  story: string
  points?: string[]
  look: Omit<Look, 'name'>
  taxonomy: Partial<Taxonomy>
  price_cents?: number
  editions?: {
    slug: string
    name: string
    description: string
    kind: 'standard' | 'deluxe' | 'beta_access'
    price_cents: number
  }[]
  license_kind?: string
  /** The slug of an earlier entry, or an external parent. */
  parent?: string | { external_name: string; external_url: string }
  uses?: [slug: string, kind: 'uses' | 'supports' | 'made_with'][]
  ranges?: { engine: string; min_version?: string; max_version?: string; platform?: string }[]
  mod?: { install_path: string; loader: string; instructions: string }
  adult?: boolean
  anonymous?: boolean
  /** Oldest first. The last build with a health band determines the health of the page. */
  builds: {
    version: string
    on: Os[]
    channel?: string
    engine_version?: string
    title?: string
    changes?: string[]
    health?: LaunchBand
  }[]
  /** The number of reviews and the share of positive ones, from 0 to 1. */
  liked?: [reviews: number, positive_share: number]
  community?: string[]
  press?: boolean
  stores?: StorePlatform[]
  days_ago: number
}

/** Parents and dependencies come before the listings that refer to them. */
export const catalog: Entry[] = [...worlds, ...toolsAndPacks]
