import type { Config } from '../../core/runtime/config.ts'
import type { PriceRules } from '../editions/prices.ts'

export const priceRules = ({
  min_price_cents,
  max_price_cents,
  editions_max,
}: Config): PriceRules => ({
  min_price_cents,
  max_price_cents,
  editions_max,
})

export const storeRules = (config: Config) => ({
  currency: 'USD' as const,
  ...priceRules(config),
  free_allowed: true,
  sale_fee: { fixed_cents: config.sale_fee_fixed_cents, percent: config.sale_fee_percent },
  refund_window_hours: config.refund_window_hours,
})
