/** Sizes in bytes. */
export const KIB = 1024
export const MIB = 1024 * KIB
export const GIB = 1024 * MIB

/** Times in seconds. */
export const MINUTE = 60
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Times in milliseconds, for timers and dates. */
export const SECOND_MS = 1000
export const MINUTE_MS = MINUTE * SECOND_MS
export const HOUR_MS = HOUR * SECOND_MS
export const DAY_MS = DAY * SECOND_MS

/** Daily limits start again at midnight UTC. */
export const secondsUntilMidnight = (now = Date.now()) =>
  Math.ceil((DAY_MS - (now % DAY_MS)) / SECOND_MS)
