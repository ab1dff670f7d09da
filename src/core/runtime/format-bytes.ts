const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/**
 * The one spelling of a size, such as 15.6 MiB: on pages, in their scripts and in the uploader.
 * This file must not import anything, because scripts of pages contain it.
 */
export function formatBytes(bytes: number): string {
  let unit = 0
  let amount = bytes
  // From 1023.95 on, one decimal would round up to 1024.0.
  while (amount >= 1023.95 && unit < units.length - 1) {
    amount /= 1024
    unit++
  }
  return `${unit === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`
}
