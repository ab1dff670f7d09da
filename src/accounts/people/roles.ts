import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'

/**
 * Refuses to give a role to a person whose address is not verified: mails to operators and
 * moderators would go to somebody else.
 */
export function checkRoleAddress({ email_verified }: { email_verified: boolean }): void {
  if (!email_verified)
    refuse(
      'EMAIL_NOT_VERIFIED',
      undefined,
      explain('operator_unverified', 'Verify the address of this person first'),
    )
}
