import { Type } from 'typebox'
import { Body, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { DAY, HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { checkEmail } from '../people/email-addresses.ts'
import { readUser } from '../people/queries.ts'
import { MAX_EMAIL } from '../people/usernames.ts'
import { recordSecurityEvent } from '../security-events/record.ts'
import { clearIdentityCache } from '../sessions/identity.ts'
import { checkOwnPassword } from '../sessions/recent-sign-in.ts'
import { website } from '../sessions/schemes.ts'
import { whileSignedIn } from '../sessions/sessions.ts'
import { checkNotBreached } from './breached-passwords.ts'
import { changeEmail, changePassword, emailIsTaken, startEmailChange } from './change-queries.ts'
import { refuseCode } from './codes.ts'
import { checkCode, sendCode } from './mailed-codes.ts'
import { checkPassword } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { insertUndo } from './undo-queries.ts'

/** How long the holder of the old address can undo a change. */
const UNDO_SECONDS = 7 * DAY

const Password = Type.String({ minLength: 1, maxLength: 512 })

const refuseTaken = (): never =>
  refuse('CONFLICT', { field: 'email' }, explain('email_taken', 'This email is already taken'))

export const startEmailChangeRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/email-change',
  summary: 'Send a six-digit code to a new email address',
  description: 'The address of the account changes when the code is confirmed.',
  auth: website,
  limits: [perAccount(20, { seconds: HOUR })],
  body: Body({ email: Type.String({ maxLength: MAX_EMAIL }), password: Password }),
  data: Type.Object({ sent: Type.Boolean(), expires_in: Type.Integer() }),
  errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
  async handle({ core, sql, request, who, body }) {
    const email = checkEmail(body.email)
    const proof = { password: body.password, field: 'password' }
    await checkOwnPassword({ core, request, who }, proof)
    const user = await readUser(sql, who.user_uid)
    if (user.email.toLowerCase() === email.toLowerCase())
      refuse(
        'CONFLICT',
        { field: 'email' },
        explain('email_same', 'This is already the address of your account'),
      )
    if (await emailIsTaken(sql, email)) refuseTaken()
    const change = { user_uid: who.user_uid, email, nonce: uuidv7() }
    return sendCode(core, 'email_changes', change, (tx, times) =>
      startEmailChange(tx, change, times),
    )
  },
})

export const confirmEmailChangeRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/email-change/confirm',
  summary: 'Change the email address with the code that was sent to it',
  auth: website,
  body: Body({ code: Type.String({ maxLength: 32 }) }),
  data: Type.Object({ email: Type.String(), email_verified: Type.Boolean() }),
  errors: ['INVALID_EMAIL_CODE', 'CONFLICT'],
  async handle({ core, sql, request, who, body }) {
    const { user_uid } = who
    const nonce = await checkCode(core, 'email_changes', user_uid, body.code)
    const email = await whileSignedIn(sql, who, async (tx) => {
      const { email, previous_email, previous_verified } =
        (await changeEmail(tx, user_uid, nonce)) ?? refuseCode('missing')
      const id = uuidv7()
      if (previous_verified)
        await insertUndo(tx, { nonce: id, user_uid, previous_email }, UNDO_SECONDS)
      const notice = { user_uid, id, to: previous_email }
      await core.jobs.send(tx, 'accounts.mail-email-changed', notice)
      await recordSecurityEvent(tx, { core, request }, { kind: 'email_changed' })
      return email
    }).catch((error) => {
      // Somebody signed up with the address after the code was sent.
      if (error.constraint_name === 'users_email') return refuseTaken()
      throw error
    })
    clearIdentityCache()
    return { email, email_verified: true }
  },
})

export const changePasswordRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/password',
  summary: 'Change the password; ends all other sessions',
  auth: website,
  body: Body({ current_password: Password, password: Type.String({ maxLength: 512 }) }),
  data: Type.Object({ username: Type.String() }),
  errors: ['INVALID_CREDENTIALS'],
  async handle({ core, sql, request, who, body }) {
    const { user_uid, username, email } = await readUser(sql, who.user_uid)
    const { store_name } = core.settings.current
    checkPassword(body.password, { username, email, store_name })
    await checkNotBreached(core, body.password)
    const current = { password: body.current_password, field: 'current_password' }
    const before = await checkOwnPassword({ core, request, who }, current)
    const after = await hashPassword(body.password)
    const session = { user_uid, session_uid: who.credential_uid }
    await sql.begin(async (tx) => {
      if (!(await changePassword(tx, session, { before, after }))) refuse('UNAUTHENTICATED')
      const notice = { user_uid, id: uuidv7(), in_settings: true }
      await core.jobs.send(tx, 'accounts.mail-password-changed', notice)
      await recordSecurityEvent(tx, { core, request }, { kind: 'password_changed' })
    })
    clearIdentityCache()
    return { username }
  },
})

export const credentialChangeRoutes = [
  changePasswordRoute,
  startEmailChangeRoute,
  confirmEmailChangeRoute,
]
