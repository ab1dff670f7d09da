import { retention } from '../core/runtime/retention.ts'

/** The limits of builds, channels and withdrawals. */

export const MAX_TITLE = 255
export const MAX_DESCRIPTION = 10_000
export const MAX_CHANGELOG = 100
export const MAX_APP_NAME = 80
export const MAX_BUILD_TYPE = 32
export const MAX_DEMO_URL = 255
export const MAX_WITHDRAWAL_REASON = 500
/** How many withdrawn builds of a listing are listed. */
export const MAX_WITHDRAWALS = 200

/** How long a rejected upload stays listed. */
export const REJECTED_FILE_DAYS = retention.rejected_file_days
/** How many builds a channel head remembers for rollbacks. */
export const MAX_PREVIOUS_BUILDS = 50
/** How many events of each channel are listed. */
export const MAX_CHANNEL_EVENTS = 50
/** The longest time a build can be promoted for: 90 days. */
export const MAX_PROMOTION_HOURS = 90 * 24
