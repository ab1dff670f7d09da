const digits = new Map<string, number>()

/** How many digits the minor unit of a currency has: 2 for cents, 0 for yen. */
export function minorDigits(currency: string): number {
  const known = digits.get(currency)
  if (known !== undefined) return known
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  digits.set(currency, maximumFractionDigits)
  return maximumFractionDigits
}
