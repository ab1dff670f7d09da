/** How many digits the minor unit of a currency has: 2 for cents, 0 for yen. */
export function minorDigits(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  return maximumFractionDigits
}
