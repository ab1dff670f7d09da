import type { StoreSettings } from '../../core/settings/table.ts'
import type { PriceRules } from '../editions/prices.ts'
import type { AssetType } from '../fields/fields.ts'
import { currencyCodes } from '../prices/currencies.ts'
import { saleLimits } from '../prices/sale-rules.ts'

/** What the operators of the store allow in a listing. */
export type ListingRules = PriceRules & {
  adult_content: boolean
  asset_types: readonly AssetType[]
  publishing: StoreSettings['publishing']
  review_first_release: boolean
}

export const listingRules = ({
  min_price_cents,
  max_price_cents,
  editions_max,
  paid_listings,
  adult_content,
  asset_types,
  publishing,
  review_first_release,
}: StoreSettings): ListingRules => ({
  min_price_cents,
  max_price_cents,
  editions_max,
  paid_listings,
  adult_content,
  asset_types,
  publishing,
  review_first_release,
})

export const storeRules = (settings: StoreSettings) => ({
  currency: 'USD' as const,
  currencies: currencyCodes,
  sale_percent_max: saleLimits.percent,
  sale_days_max: saleLimits.days,
  ...listingRules(settings),
  asset_types: settings.asset_types,
  registration: settings.registration,
  free_allowed: true,
  sale_fee: { fixed_cents: settings.sale_fee_fixed_cents, percent: settings.sale_fee_percent },
  refund_window_hours: settings.refund_window_hours,
})
