export const MIN_DEVICES = 20
export const WINDOW_DAYS = 30

/** From best to worst: shares of the devices, each bound itself included. */
const bands = [
  { band: 'excellent', booted: 98, crashed: 1 },
  { band: 'healthy', booted: 93, crashed: 3 },
  { band: 'mixed', booted: 80, crashed: 10 },
] as const

export const allBands = ['excellent', 'healthy', 'mixed', 'problematic', 'unrated'] as const
export type Band = (typeof allBands)[number]
export type Launches = { devices: number; boot_ok: number; crash_on_boot: number }

/** In whole numbers: 98 of 100 is 98 percent, whatever fractions make of it. */
export function launchBand({ devices, boot_ok, crash_on_boot }: Launches): Band {
  if (devices < MIN_DEVICES) return 'unrated'
  return (
    bands.find(
      ({ booted, crashed }) =>
        boot_ok * 100 >= booted * devices && crash_on_boot * 100 <= crashed * devices,
    )?.band ?? 'problematic'
  )
}

/** Whether a build starts worse than the one before it. Without a rating on both sides nothing can be said. */
export function fellBelow(band: Band, previous: Band): boolean {
  return (
    band !== 'unrated' &&
    previous !== 'unrated' &&
    allBands.indexOf(band) > allBands.indexOf(previous)
  )
}
