import { isMailAddress } from '../../core/mail/mail.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'

export function checkEmail(email: string, field = 'email'): string {
  const trimmed = email.trim()
  if (!isMailAddress(trimmed))
    refuse(
      'MALFORMED',
      undefined,
      explain('invalid_email', `body.${field}: this is not an email address`),
    )
  return trimmed
}
