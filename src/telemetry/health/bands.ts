import {
  FAILING,
  type LaunchBand,
  launchBands,
  UNRATED,
} from '../../listings/fields/launch-bands.ts'

/** A build is rated once this many devices have sent data about it within the window. */
export const MIN_DEVICES = 20

/** A build that meets none of the thresholds. */
const LOWEST = FAILING
type RatedBand = Exclude<LaunchBand, typeof UNRATED | typeof LOWEST>
type Thresholds = { min_started: number; max_crashed: number }

/**
 * Percentages of devices, bounds included. A build gets the best band whose two thresholds it
 * meets.
 */
export const thresholds: Record<RatedBand, Thresholds> = {
  excellent: { min_started: 98, max_crashed: 1 },
  healthy: { min_started: 93, max_crashed: 3 },
  mixed: { min_started: 80, max_crashed: 10 },
}
const { excellent, healthy, mixed } = thresholds

type Band = {
  tone: 'ok' | 'warn' | 'bad' | 'soft'
  /** What a player reads on a card. */
  label: string
  /** What the band says about a build, which the sentence names this way. */
  explain: (build: string) => string
  /** The numbers of the explanation, for its translations. */
  limits: Record<string, number>
}

const explainRated =
  ({ min_started, max_crashed }: Thresholds) =>
  (build: string) =>
    `At least ${min_started}% of devices started ${build}, and at most ${max_crashed}% crashed ` +
    'before that.'

export const bands: Record<LaunchBand, Band> = {
  excellent: {
    tone: 'ok',
    label: 'Starts reliably',
    explain: explainRated(excellent),
    limits: excellent,
  },
  healthy: {
    tone: 'ok',
    label: 'Starts well',
    explain: explainRated(healthy),
    limits: healthy,
  },
  mixed: {
    tone: 'warn',
    label: 'Starts on most devices',
    explain: explainRated(mixed),
    limits: mixed,
  },
  problematic: {
    tone: 'bad',
    label: 'Often fails to start',
    explain: (build) =>
      `Fewer than ${mixed.min_started}% of devices started ${build}, or more than ` +
      `${mixed.max_crashed}% crashed before that.`,
    limits: mixed,
  },
  unrated: {
    tone: 'soft',
    label: 'Not rated yet',
    explain: (build) => `Fewer than ${MIN_DEVICES} devices have run ${build} so far.`,
    limits: { min_devices: MIN_DEVICES },
  },
}

const rated = Object.entries(thresholds) as [RatedBand, Thresholds][]

export type Launches = { devices: number; boot_ok: number; crash_on_boot: number }

/**
 * Compares whole numbers, so that 98 of 100 is exactly 98 percent. The weighed launches decide the
 * band, see network-weights.ts; how many devices there are decides whether there is one.
 */
export function launchBand(launches: Launches, weighed: Launches = launches): LaunchBand {
  if (launches.devices < MIN_DEVICES) return UNRATED
  const { devices, boot_ok, crash_on_boot } = weighed
  const match = rated.find(
    ([, { min_started, max_crashed }]) =>
      boot_ok * 100 >= min_started * devices && crash_on_boot * 100 <= max_crashed * devices,
  )
  return match?.[0] ?? LOWEST
}

/** Whether a build starts worse than its predecessor. Only two rated builds can be compared. */
export function fellBelow(band: LaunchBand, previous: LaunchBand): boolean {
  if (band === UNRATED || previous === UNRATED) return false
  return launchBands.indexOf(band) > launchBands.indexOf(previous)
}
