import { HOUR } from '../../core/runtime/units.ts'

export const RESET_SECONDS = HOUR
/** Leaves the first mail time to arrive, and protects mailboxes from being flooded. */
export const RESET_RESEND_SECONDS = 300
