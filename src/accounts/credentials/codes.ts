import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { MINUTE } from '../../core/runtime/units.ts'

export const CODE_SECONDS = 10 * MINUTE
export const MAX_CODE_ATTEMPTS = 5
export const CODE_RESEND_SECONDS = 30

/** Six digits from a MAC. The modulo bias over 2^32 values is negligible. */
export const sixDigitCode = (mac: Uint8Array) =>
  String(Buffer.from(mac).readUInt32BE(0) % 1_000_000).padStart(6, '0')

const refusals = {
  wrong: explain(
    'code_wrong',
    'This code is wrong; check the newest mail and enter its six digits',
  ),
  missing: explain(
    'code_missing',
    'No code is waiting for you; request one, and wait for the mail',
  ),
  expired: explain('code_expired', 'This code has expired; request a new one'),
  used_up: explain('code_attempts', 'Too many wrong codes were entered; request a new one'),
}
export type CodeProblem = keyof typeof refusals

/** Refuses to send a code so soon after another. */
export const refuseResend = (wait: number): never =>
  refuse(
    'TOO_MANY_REQUESTS',
    { retry_after: wait },
    explain('code_wait', `A code was sent moments ago; try again in ${wait} seconds`, {
      count: wait,
    }),
    { 'retry-after': String(wait) },
  )

/** Refuses a code and says why, so that a person knows what to do. */
export const refuseCode = (reason: CodeProblem): never =>
  refuse('INVALID_EMAIL_CODE', { reason }, refusals[reason])
