/**
 * The bands of launch health, from best to worst. Their thresholds, labels and explanations are in
 * `telemetry/health/bands.ts`. The names are here because a listing shows its band, and `listings`
 * may not import `telemetry`.
 */
export const launchBands = ['excellent', 'healthy', 'mixed', 'problematic', 'unrated'] as const
export type LaunchBand = (typeof launchBands)[number]

/** The band of a build that too few devices have started. */
export const UNRATED: 'unrated' = 'unrated'

/** The band of a build that often fails to start. */
export const FAILING: 'problematic' = 'problematic'
