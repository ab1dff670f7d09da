/** The currency of `price_cents` and of all fees and limits. */
export const BASE_CURRENCY = 'USD'

/**
 * The currencies that listings can have prices in (ISO 4217): how many digits the smallest unit
 * has, and the least amount that payment providers charge, in that unit.
 */
export const currencies = {
  USD: { digits: 2, min: 50 },
  AUD: { digits: 2, min: 50 },
  BRL: { digits: 2, min: 50 },
  CAD: { digits: 2, min: 50 },
  CHF: { digits: 2, min: 50 },
  CZK: { digits: 2, min: 1500 },
  DKK: { digits: 2, min: 250 },
  EUR: { digits: 2, min: 50 },
  GBP: { digits: 2, min: 30 },
  HKD: { digits: 2, min: 400 },
  INR: { digits: 2, min: 50 },
  JPY: { digits: 0, min: 50 },
  KRW: { digits: 0, min: 700 },
  MXN: { digits: 2, min: 1000 },
  NOK: { digits: 2, min: 300 },
  NZD: { digits: 2, min: 50 },
  PLN: { digits: 2, min: 200 },
  SEK: { digits: 2, min: 300 },
  SGD: { digits: 2, min: 50 },
} as const satisfies Record<string, { digits: number; min: number }>

export type Currency = keyof typeof currencies
export const currencyCodes = Object.keys(currencies) as Currency[]
export const otherCurrencies = currencyCodes.filter((code) => code !== BASE_CURRENCY)

export const isCurrency = (code: unknown): code is Currency =>
  typeof code === 'string' && Object.hasOwn(currencies, code)

/** The highest amount in any currency, in its smallest unit. */
export const MAX_AMOUNT_MINOR = 100_000_000

/** The digits of currencies without prices, in which a provider may still hold money. */
const otherDigits = new Map<string, number>()

/** How many digits the smallest unit of any currency has: 2 for cents, 0 for yen. */
export function minorDigits(currency: string): number {
  if (isCurrency(currency)) return currencies[currency].digits
  const known = otherDigits.get(currency)
  if (known !== undefined) return known
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  otherDigits.set(currency, maximumFractionDigits)
  return maximumFractionDigits
}

/** An amount in whole units of its currency, such as 12.34 for 1234 cents. */
export const majorUnits = (amount_minor: number, currency: string): number =>
  amount_minor / 10 ** minorDigits(currency)

/** The same as text with all digits, as structured data and CSV files want it. */
export const decimalAmount = (amount_minor: number, currency: string): string =>
  majorUnits(amount_minor, currency).toFixed(minorDigits(currency))
