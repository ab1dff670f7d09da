import { sweepIdempotencyKeys } from '../core/database/idempotency-keys.ts'
import { job } from '../core/jobs/index.ts'
import { retention } from '../core/runtime/retention.ts'
import { mailLanguage, writeMail } from '../core/text/mail-text.ts'
import { approvalUrl } from './approvals/approvals.ts'
import { findApprovalMail, sweepApprovals } from './approvals/queries.ts'
import { findChangeRecipient } from './credentials/change-queries.ts'
import { findCodeRecipient } from './credentials/code-queries.ts'
import { sweepCodes } from './credentials/code-table-queries.ts'
import { sixDigitCode } from './credentials/codes.ts'
import { linkToken } from './credentials/link-tokens.ts'
import { startReset, sweepResets } from './credentials/reset-queries.ts'
import { RESET_RESEND_SECONDS, RESET_SECONDS } from './credentials/reset-tokens.ts'
import { findUndoEnd, sweepUndos } from './credentials/undo-queries.ts'
import type { SignInPlace } from './devices/devices.ts'
import { sweepDevices } from './devices/queries.ts'
import { sweepCalls } from './keys/call-log-queries.ts'
import {
  approvalMail,
  codeMail,
  emailChangedMail,
  emailChangeMail,
  lostRoleMail,
  newDeviceMail,
  passwordChangedMail,
  passwordResetMail,
  type SecondFactorChange,
  secondFactorMail,
  secondFactorResetMail,
} from './mail-templates.ts'
import { sweepChallenges } from './passkeys/queries.ts'
import { readUser } from './people/queries.ts'
import { findLostRole } from './revocation/queries.ts'
import type { OwnerNotice } from './revocation/revocation.ts'
import { findResetEnd } from './second-factor/reset-queries.ts'
import { applyDueResets } from './second-factor/resets.ts'
import { sweepEvents } from './security-events/queries.ts'
import { sweepSessions } from './sessions/queries.ts'

/** The code is derived from the nonce here, so it is stored in no table and no queue. */
export const mailCode = job<{ user_uid: string; nonce: string }>({
  name: 'accounts.mail-code',
  async handle({ core, data: { user_uid, nonce } }) {
    const recipient = await findCodeRecipient(core.sql, user_uid, nonce)
    if (!recipient) return
    const code = sixDigitCode(core.secrets.mac('mail code', nonce))
    const verify_url = `${core.addresses.web_url}/settings/verify?code=${code}`
    const language = mailLanguage(core.config, recipient.language)
    const mail = writeMail(
      codeMail({ store: core.settings.current.store_name, code, verify_url }),
      language,
    )
    await core.mail.send({ ...mail, id: nonce, to: recipient.email, created_at: new Date() })
  },
})

/** Sends nothing if the account is unknown or a mail was sent moments ago. */
export const mailReset = job<{ user_uid: string | null; nonce: string }>({
  name: 'accounts.mail-reset',
  async handle({ core, data: { user_uid, nonce } }) {
    if (user_uid === null) return
    const times = { valid_seconds: RESET_SECONDS, resend_seconds: RESET_RESEND_SECONDS }
    const recipient = await startReset(core.sql, user_uid, nonce, times)
    if (!recipient) return
    const reset_url = `${core.addresses.web_url}/password/new?token=${linkToken(core, 'password reset', nonce)}`
    const language = mailLanguage(core.config, recipient.language)
    const mail = writeMail(
      passwordResetMail({ store: core.settings.current.store_name, reset_url }),
      language,
    )
    await core.mail.send({ ...mail, id: nonce, to: recipient.email, created_at: new Date() })
  },
})

/** As mailCode, to the new address. */
export const mailEmailChange = job<{ user_uid: string; nonce: string }>({
  name: 'accounts.mail-email-change',
  async handle({ core, data: { user_uid, nonce } }) {
    const recipient = await findChangeRecipient(core.sql, user_uid, nonce)
    if (!recipient) return
    const code = sixDigitCode(core.secrets.mac('email change', nonce))
    const confirm_url = `${core.addresses.web_url}/settings/email/confirm?code=${code}`
    const language = mailLanguage(core.config, recipient.language)
    const mail = writeMail(
      emailChangeMail({ store: core.settings.current.store_name, code, confirm_url }),
      language,
    )
    await core.mail.send({ ...mail, id: nonce, to: recipient.email, created_at: new Date() })
  },
})

/** Tells the old address. The id of the mail is the nonce of the link that undoes the change. */
export const mailEmailChanged = job<{ user_uid: string; id: string; to: string }>({
  name: 'accounts.mail-email-changed',
  async handle({ core, data: { user_uid, id, to } }) {
    const user = await readUser(core.sql, user_uid)
    if (!user) return
    const { web_url } = core.addresses
    const undo_until = await findUndoEnd(core.sql, id)
    const text = emailChangedMail({
      store: core.settings.current.store_name,
      username: user.username,
      settings_url: `${web_url}/settings`,
      undo: undo_until && {
        url: `${web_url}/account/email/undo?token=${linkToken(core, 'email undo', id)}`,
        until: undo_until,
      },
    })
    const mail = writeMail(text, mailLanguage(core.config, user.language))
    await core.mail.send({ ...mail, id, to, created_at: new Date() })
  },
})

type PasswordChange = { user_uid: string; id: string; unproven?: boolean; in_settings?: boolean }

export const mailPasswordChanged = job<PasswordChange>({
  name: 'accounts.mail-password-changed',
  async handle({ core, data: { user_uid, id, unproven, in_settings } }) {
    const user = await readUser(core.sql, user_uid)
    if (!user) return
    const text = passwordChangedMail({
      store: core.settings.current.store_name,
      username: user.username,
      unproven,
      in_settings,
      keys_url: `${core.addresses.web_url}/account/keys`,
      forgot_url: `${core.addresses.web_url}/password/forgot`,
    })
    const mail = writeMail(text, mailLanguage(core.config, user.language))
    await core.mail.send({ ...mail, id, to: user.email, created_at: new Date() })
  },
})

type NewDeviceNotice = SignInPlace & { user_uid: string; id: string; at: string }

export const mailNewDevice = job<NewDeviceNotice>({
  name: 'accounts.mail-new-device',
  async handle({ core, data: { user_uid, id, at, ...place } }) {
    const user = await readUser(core.sql, user_uid)
    if (!user) return
    const text = newDeviceMail({
      store: core.settings.current.store_name,
      username: user.username,
      at: new Date(at),
      place,
      sessions_url: `${core.addresses.web_url}/account/sessions`,
    })
    const mail = writeMail(text, mailLanguage(core.config, user.language))
    await core.mail.send({ ...mail, id, to: user.email, created_at: new Date(at) })
  },
})

type SecondFactorNotice = { user_uid: string; id: string; change: SecondFactorChange }

export const mailSecondFactor = job<SecondFactorNotice>({
  name: 'accounts.mail-second-factor',
  async handle({ core, data: { user_uid, id, change } }) {
    const user = await readUser(core.sql, user_uid)
    if (!user) return
    const text = secondFactorMail({
      store: core.settings.current.store_name,
      username: user.username,
      change,
      security_url: `${core.addresses.web_url}/account/security`,
    })
    const mail = writeMail(text, mailLanguage(core.config, user.language))
    await core.mail.send({ ...mail, id, to: user.email, created_at: new Date() })
  },
})

type LostRole = OwnerNotice & { id: string; game_uid: string; user_uid: string }

/** Tells the owner of a listing what stopped working, and what to replace. */
export const mailLostRole = job<LostRole>({
  name: 'accounts.mail-lost-role',
  async handle({ core, data: { id, game_uid, user_uid, ...notice } }) {
    const lost = await findLostRole(core.sql, game_uid, user_uid)
    if (!lost) return
    const { to, language, vanity_name, ...names } = lost
    const project_url = `${core.addresses.web_url}/dashboard/${vanity_name}`
    const text = lostRoleMail({
      ...names,
      ...notice,
      people_url: `${project_url}/people`,
      deploy_key_url: `${project_url}/deploy-keys`,
    })
    const mail = writeMail(text, mailLanguage(core.config, language))
    await core.mail.send({ ...mail, id, to, created_at: new Date() })
  },
})

/** Tells the person at once. The link stops the reset until it is due. */
export const mailSecondFactorReset = job<{ user_uid: string; nonce: string }>({
  name: 'accounts.mail-second-factor-reset',
  async handle({ core, data: { user_uid, nonce } }) {
    const user = await readUser(core.sql, user_uid)
    const due_at = user && (await findResetEnd(core.sql, nonce))
    if (!due_at) return
    const token = linkToken(core, 'second factor reset', nonce)
    const text = secondFactorResetMail({
      store: core.settings.current.store_name,
      username: user.username,
      stop_url: `${core.addresses.web_url}/account/second-factor-reset?token=${token}`,
      due_at,
    })
    const mail = writeMail(text, mailLanguage(core.config, user.language))
    await core.mail.send({ ...mail, id: nonce, to: user.email, created_at: new Date() })
  },
})

export const resetSecondFactors = job({
  name: 'accounts.reset-second-factors',
  schedule: '*/5 * * * *',
  handle: ({ core, signal }) => applyDueResets(core, signal),
})

export const mailApproval = job<{ uid: string }>({
  name: 'accounts.mail-approval',
  async handle({ core, data: { uid } }) {
    const approval = await findApprovalMail(core.sql, uid)
    if (!approval) return
    const { to, language, created_at, ...details } = approval
    const game = details.game ?? core.settings.current.store_name
    const code = sixDigitCode(core.secrets.mac('approval code', uid))
    const text = approvalMail({ ...details, game, code, approval_url: approvalUrl(core, uid) })
    const mail = writeMail(text, mailLanguage(core.config, language))
    await core.mail.send({ ...mail, id: uid, to, created_at })
  },
})

export const sweep = job({
  name: 'accounts.sweep',
  schedule: '17 3 * * *',
  handle: ({ core, finish }) =>
    finish(async (tx) => {
      await sweepSessions(tx, core.settings.current.session_idle_days)
      await sweepDevices(tx)
      await sweepChallenges(tx)
      await sweepCodes(tx, 'mail_codes')
      await sweepCodes(tx, 'email_changes')
      await sweepResets(tx)
      await sweepUndos(tx)
      await sweepIdempotencyKeys(tx)
      await sweepCalls(tx, retention.call_log_days)
      await sweepApprovals(tx, retention.approval_days)
      await sweepEvents(tx, core.settings.current.security_event_days)
    }),
})
