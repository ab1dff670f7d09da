import { formatMoment, regionName } from '../core/text/intl-text.ts'
import type { MailText } from '../core/text/mail-text.ts'
import { joinTexts, t } from '../core/text/text.ts'
import { APPROVAL_SECONDS } from './approvals/approvals.ts'
import { CODE_SECONDS } from './credentials/codes.ts'
import { RESET_SECONDS } from './credentials/reset-tokens.ts'
import { deviceText } from './devices/device-text.ts'
import type { SignInPlace } from './devices/devices.ts'

/** The name of the store, which every template of an account names. */
type Store = { store: string }

type VerifyCode = Store & { code: string; verify_url: string }

export const codeMail = ({ store, code, verify_url }: VerifyCode): MailText => ({
  subject: t('mail-code-subject', { code, store }),
  paragraphs: [
    t('mail-code', { code }),
    t('mail-code-enter', { url: verify_url }),
    t('mail-code-expires', { minutes: CODE_SECONDS / 60 }),
  ],
})

type ChangeCode = Store & { code: string; confirm_url: string }

export const emailChangeMail = ({ store, code, confirm_url }: ChangeCode): MailText => ({
  subject: t('mail-code-subject', { code, store }),
  paragraphs: [
    t('mail-email-change', { store }),
    t('mail-code', { code }),
    t('mail-code-enter', { url: confirm_url }),
    t('mail-code-expires', { minutes: CODE_SECONDS / 60 }),
  ],
})

type ChangedAddress = Store & {
  username: string
  settings_url: string
  /** Undefined if the address was never verified: then it may be that of a stranger. */
  undo: { url: string; until: Date } | undefined
}

export const emailChangedMail = ({ store, username, ...mail }: ChangedAddress): MailText => ({
  subject: t('mail-email-changed-subject', { store }),
  paragraphs: [
    t('mail-email-changed', { username, store }),
    ...(mail.undo
      ? [
          t('mail-email-changed-undo', { url: mail.undo.url }),
          t('mail-email-changed-undo-until', { time: formatMoment(mail.undo.until) }),
        ]
      : [t('mail-email-changed-not-you', { username, url: mail.settings_url })]),
  ],
})

type Reset = Store & { reset_url: string }

export const passwordResetMail = ({ store, reset_url }: Reset): MailText => ({
  subject: t('mail-reset-subject', { store }),
  paragraphs: [
    t('mail-reset', { store }),
    t('mail-reset-open', { url: reset_url }),
    t('mail-reset-expires', { minutes: RESET_SECONDS / 60 }),
  ],
})

type PasswordChange = Store & {
  username: string
  /** The address had not been verified before, so all other credentials were revoked. */
  unproven: boolean | undefined
  /** With the old password, on the settings page; otherwise with a mailed link. */
  in_settings: boolean | undefined
  keys_url: string
  forgot_url: string
}

export const passwordChangedMail = ({ store, username, ...change }: PasswordChange): MailText => ({
  subject: t('mail-password-changed-subject', { store }),
  paragraphs: [
    change.in_settings
      ? t('mail-password-changed-settings', { username, store })
      : t('mail-password-changed', { username, store }),
    change.unproven
      ? t('mail-password-changed-revoked')
      : t('mail-password-changed-keys', { url: change.keys_url }),
    change.in_settings
      ? t('mail-password-changed-settings-not-you', { url: change.forgot_url })
      : t('mail-password-changed-not-you', { url: change.forgot_url, store }),
  ],
})

type NewDevice = Store & {
  username: string
  at: Date
  place: SignInPlace
  sessions_url: string
}

export const newDeviceMail = ({
  store,
  username,
  at,
  place,
  sessions_url,
}: NewDevice): MailText => ({
  subject: t('mail-new-device-subject', { store }),
  paragraphs: [
    t('mail-new-device', { username, store }),
    joinTexts(
      [
        t('mail-new-device-name', { device: deviceText(place) }),
        place.country && t('mail-new-device-country', { country: regionName(place.country) }),
        t('mail-new-device-time', { time: formatMoment(at) }),
      ],
      '\n',
    ),
    t('mail-new-device-not-you', { url: sessions_url }),
  ],
})

const secondFactorChanges = {
  totp_on: t('mail-totp-on'),
  totp_off: t('mail-totp-off'),
  recovery_codes: t('mail-recovery-codes'),
  passkey_added: t('mail-passkey-added'),
  passkey_removed: t('mail-passkey-removed'),
  reset: t('mail-second-factor-reset-done'),
  reset_stopped: t('mail-second-factor-reset-stopped'),
} as const
export type SecondFactorChange = keyof typeof secondFactorChanges

type SecondFactorNotice = Store & {
  username: string
  change: SecondFactorChange
  security_url: string
}

export const secondFactorMail = ({ store, username, ...mail }: SecondFactorNotice): MailText => ({
  subject: t('mail-second-factor-subject', { store }),
  paragraphs: [
    t('mail-second-factor', { username, store }),
    secondFactorChanges[mail.change],
    t('mail-second-factor-not-you', { url: mail.security_url }),
  ],
})

type SecondFactorReset = Store & { username: string; stop_url: string; due_at: Date }

export const secondFactorResetMail = ({ store, ...mail }: SecondFactorReset): MailText => ({
  subject: t('mail-second-factor-reset-subject', { store }),
  paragraphs: [
    t('mail-second-factor-reset', { username: mail.username, store }),
    t('mail-second-factor-reset-time', { time: formatMoment(mail.due_at) }),
    t('mail-second-factor-reset-stop', { url: mail.stop_url }),
    t('mail-second-factor-reset-wanted'),
  ],
})

type LostRole = {
  game: string
  /** Null after the account was deleted. */
  username: string | null
  has_deploy_key: boolean
  has_secrets: boolean
  people_url: string
  deploy_key_url: string
}

/** To the owner of a listing. */
export const lostRoleMail = ({ game, username, ...mail }: LostRole): MailText => ({
  subject: t('mail-lost-role-subject', { game }),
  paragraphs: [
    username ? t('mail-lost-role', { username, game }) : t('mail-lost-role-deleted', { game }),
    ...(mail.has_deploy_key ? [t('mail-lost-role-deploy-key', { url: mail.deploy_key_url })] : []),
    ...(mail.has_secrets ? [t('mail-lost-role-secrets', { url: mail.people_url })] : []),
  ],
})

/** Contains a link to decide in the browser, and a code to pass to the agent instead. */
export const approvalMail = (approval: {
  /** The name of the key or app; null if it is gone. */
  credential: string | null
  game: string
  /** Written by the tool that needs the approval, in English. */
  summary: string
  code: string
  approval_url: string
}): MailText => ({
  subject: t('mail-approval-subject', { summary: approval.summary }),
  paragraphs: [
    t('mail-approval', {
      credential: approval.credential ?? t('mail-approval-agent'),
      game: approval.game,
    }),
    `  ${approval.summary}`,
    t('mail-approval-open', { url: approval.approval_url }),
    t('mail-approval-code', { code: approval.code }),
    t('mail-approval-expires', { minutes: APPROVAL_SECONDS / 60 }),
  ],
})

type PublishingRequest = Store & { username: string; request: string; approvals_url: string }

/** To an operator. */
export const publishingRequestMail = ({ store, ...mail }: PublishingRequest): MailText => ({
  subject: t('mail-publishing-request-subject', { username: mail.username, store }),
  paragraphs: [
    t('mail-publishing-request', { username: mail.username, store }),
    mail.request,
    t('mail-publishing-request-open', { url: mail.approvals_url }),
  ],
})

type PublishingDecision = Store & { is_approved: boolean; reason: string; dashboard_url: string }

export const publishingDecisionMail = ({ store, ...mail }: PublishingDecision): MailText => ({
  subject: mail.is_approved
    ? t('mail-publishing-approved-subject', { store })
    : t('mail-publishing-declined-subject', { store }),
  paragraphs: [
    mail.is_approved
      ? t('mail-publishing-approved', { store })
      : t('mail-publishing-declined', { store }),
    ...(mail.reason ? [mail.reason] : []),
    ...(mail.is_approved ? [t('mail-publishing-open', { url: mail.dashboard_url })] : []),
  ],
})
