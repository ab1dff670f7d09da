import type { StoreSettings } from '../../core/settings/table.ts'
import type { PriceRules } from '../editions/prices.ts'

export const priceRules = ({
  min_price_cents,
  max_price_cents,
  editions_max,
}: StoreSettings): PriceRules => ({
  min_price_cents,
  max_price_cents,
  editions_max,
})

export const storeRules = (settings: StoreSettings) => ({
  currency: 'USD' as const,
  ...priceRules(settings),
  free_allowed: true,
  sale_fee: { fixed_cents: settings.sale_fee_fixed_cents, percent: settings.sale_fee_percent },
  refund_window_hours: settings.refund_window_hours,
})
