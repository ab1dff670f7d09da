import { Type } from 'typebox'
import { transact } from '../../core/database/transaction.ts'
import { anyone, Body, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { randomText, uuidv7 } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import { revokeAccessSince } from '../revocation/revocation.ts'
import { recordSecurityEvent } from '../security-events/record.ts'
import { clearIdentityCache } from '../sessions/identity.ts'
import { readLinkToken } from './link-tokens.ts'
import { hashPassword } from './passwords.ts'
import { undoEmailChange } from './undo-queries.ts'

const refuseTaken = (): never =>
  refuse('CONFLICT', undefined, explain('email_taken', 'This email is already taken'))

export const undoEmailChangeRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/email-change/undo',
  summary: 'Undo a change of the email address with the token of a mailed link',
  description:
    'Ends all sessions and the password, and mails a link to choose a new password to the ' +
    'restored address.',
  auth: anyone,
  limits: [perIp(60, { seconds: HOUR })],
  body: Body({ token: Type.String({ maxLength: 256 }) }),
  data: Type.Object({}),
  errors: ['EMAIL_UNDO_EXPIRED', 'CONFLICT'],
  async handle({ core, sql, request, body }) {
    const nonce = readLinkToken(core, 'email undo', body.token) ?? refuse('EMAIL_UNDO_EXPIRED')
    // Whoever changed the address knows the password.
    const unknown_password = await hashPassword(randomText(40))
    await transact(sql, async (tx) => {
      const { user_uid, changed_at: since } =
        (await undoEmailChange(tx, nonce, unknown_password)) ?? refuse('EMAIL_UNDO_EXPIRED')
      await core.jobs.send(tx, 'accounts.mail-reset', { user_uid, nonce: uuidv7() })
      const event = { kind: 'email_change_undone', actor_uid: user_uid } as const
      await recordSecurityEvent(tx, { core, request }, event)
      await revokeAccessSince({ core, request }, tx, { user_uid, since })
    }).catch((error) => {
      if (error.constraint_name === 'users_email') return refuseTaken()
      throw error
    })
    clearIdentityCache()
    return {}
  },
})
