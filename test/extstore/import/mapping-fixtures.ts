import fixtures from '../../../sim/extstore-fixtures.json' with { type: 'json' }
import { defaultSettings } from '../../../src/core/settings/table.ts'
import { readStorePage } from '../../../src/extstore/client/store-page.ts'
import {
  type Candidate,
  candidates,
  type StoreData,
  type TargetState,
} from '../../../src/extstore/import/mapping.ts'
import { newTarget } from '../../../src/extstore/import/target.ts'
import { listingRules } from '../../../src/listings/listing/store-rules.ts'

export const example = Object.values(fixtures.appdetails.body)[0]!.data as Record<string, unknown>
export const newListing: TargetState = newTarget.state
export const tagged = (...names: string[]) => names.map((name, i) => ({ name, weight: 100 - i }))

/** Maps the example page with the given fields replaced. */
export function map(
  data: Record<string, unknown> = {},
  {
    tags = [] as StoreData['tags'] | null,
    present = {} as Partial<TargetState>,
    app_name = 'App',
  } = {},
) {
  const page = readStorePage({ ...example, ...data })
  const store_data: StoreData = {
    app: { app_id: 5, app_name, url: 'https://store.steampowered.com/app/5/' },
    page,
    tags: tags ?? undefined,
    tagline: page.short_text,
    description: { text: page.long_text, cut: false },
    images: undefined,
  }
  return candidates(store_data, { ...newListing, ...present }, listingRules(defaultSettings))
}

export const value = (field: Candidate) => ('value' in field ? field.value : undefined)
export const reason = (field: Candidate) => ('skip' in field ? field.skip.message : undefined)
export const note = (field: Candidate) => ('note' in field ? field.note?.message : undefined)
