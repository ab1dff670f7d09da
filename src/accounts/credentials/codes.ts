import { MINUTE } from '../../core/runtime/units.ts'

export const CODE_SECONDS = 10 * MINUTE
export const MAX_CODE_ATTEMPTS = 5
export const CODE_RESEND_SECONDS = 30

/** Six digits from a MAC. The modulo bias over 2^32 values is negligible. */
export const sixDigitCode = (mac: Uint8Array) =>
  String(Buffer.from(mac).readUInt32BE(0) % 1_000_000).padStart(6, '0')
