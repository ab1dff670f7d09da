import type { Launches } from './bands.ts'

/** Networks that have the same numbers of devices, and how many networks that are. */
export type NetworkGroup = Launches & { networks: number }

/** From this many devices on, no network decides the band alone. */
export const WEIGHED_FROM_DEVICES = 100
/** The share of the devices of one network; more of them count less each. */
const MAX_SHARE = 0.05

/**
 * The launches of a build with the devices of each network weighed, so that no network has more
 * than its share. With fewer than 20 networks that is impossible; then all networks count alike.
 */
export function weighByNetwork(groups: readonly NetworkGroup[]): Launches {
  const total = groups.reduce((sum, { devices, networks }) => sum + devices * networks, 0)
  const limit =
    total < WEIGHED_FROM_DEVICES ? Number.POSITIVE_INFINITY : networkLimit(groups, total)
  const weighed: Launches = { devices: 0, boot_ok: 0, crash_on_boot: 0 }
  for (const { devices, boot_ok, crash_on_boot, networks } of groups) {
    const weight = networks * Math.min(1, limit / devices)
    weighed.devices += devices * weight
    weighed.boot_ok += boot_ok * weight
    weighed.crash_on_boot += crash_on_boot * weight
  }
  return weighed
}

/**
 * How many devices a network counts for at most: the largest number that is within the share of
 * what all networks then count for. From the largest networks down, each step assumes that these
 * have more and that the others have less.
 */
function networkLimit(groups: readonly NetworkGroup[], total: number): number {
  const descending = [...groups].sort((a, b) => b.devices - a.devices)
  let above = 0
  let below = total
  for (const [index, { devices, networks }] of descending.entries()) {
    if (above === 0 && devices <= MAX_SHARE * total) return devices
    above += networks
    below -= devices * networks
    const room = 1 - MAX_SHARE * above
    const limit = room > 0 ? (MAX_SHARE * below) / room : Number.POSITIVE_INFINITY
    const next = descending[index + 1]?.devices ?? 0
    if (limit > 0 && limit >= next && limit <= devices) return limit
  }
  return descending.at(-1)!.devices
}
