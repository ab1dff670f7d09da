import { KIB, MIB } from '../../core/runtime/units.ts'

/** Of texts in characters. */
export const MAX_MESSAGE = 4000
export const MAX_LOG_BYTES = 512 * KIB
export const MAX_SCREENSHOT_BYTES = 32 * MIB
export const MAX_CLIENT_VERSION = 64
export const MAX_PLATFORM = 32
export const MAX_BUILD_ID = 64
