import type { EventActor, EventKind } from '../../../accounts/security-events/kinds.ts'
import type { listOwnEventsRoute } from '../../../accounts/security-events/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { table } from '../../components/table.ts'

type SecurityEvent = RouteData<typeof listOwnEventsRoute>['items'][number]

export const kindNames: Record<EventKind, Text> = {
  sign_in: t('event-sign-in'),
  sign_in_failed: t('event-sign-in-failed'),
  second_step_used: t('event-second-step-used'),
  second_step_failed: t('event-second-step-failed'),
  step_up: t('event-step-up'),
  step_up_failed: t('event-step-up-failed'),
  sessions_ended: t('event-sessions-ended'),
  password_changed: t('event-password-changed'),
  password_reset_requested: t('event-password-reset-requested'),
  password_reset: t('event-password-reset'),
  email_changed: t('event-email-changed'),
  email_change_undone: t('event-email-change-undone'),
  totp_added: t('event-totp-added'),
  totp_removed: t('event-totp-removed'),
  passkey_added: t('event-passkey-added'),
  passkey_removed: t('event-passkey-removed'),
  recovery_codes_replaced: t('event-recovery-codes-replaced'),
  second_factor_reset: t('event-second-factor-reset'),
  second_factor_reset_requested: t('event-second-factor-reset-requested'),
  second_factor_reset_stopped: t('event-second-factor-reset-stopped'),
  second_factor_reset_applied: t('event-second-factor-reset-applied'),
  key_created: t('event-key-created'),
  key_revoked: t('event-key-revoked'),
  deploy_key_created: t('event-deploy-key-created'),
  deploy_key_revoked: t('event-deploy-key-revoked'),
  webhook_secret_created: t('event-webhook-secret-created'),
  webhook_secret_shown: t('event-webhook-secret-shown'),
  grant_created: t('event-grant-created'),
  grant_revoked: t('event-grant-revoked'),
  upload_ended: t('event-upload-ended'),
  approval_ended: t('event-approval-ended'),
  admin_invited: t('event-admin-invited'),
  admin_joined: t('event-admin-joined'),
  admin_removed: t('event-admin-removed'),
  operator_added: t('event-operator-added'),
  operator_removed: t('event-operator-removed'),
  moderator_added: t('event-moderator-added'),
  moderator_removed: t('event-moderator-removed'),
  account_created: t('event-account-created'),
  account_exported: t('event-account-exported'),
  account_deleted: t('event-account-deleted'),
  listing_deleted: t('event-listing-deleted'),
}

/** The details that people understand: the method of a sign-in, and the kind of a key. */
const detailNames: Record<string, Text> = {
  password: t('event-by-password'),
  passkey: t('event-by-passkey'),
  registration: t('event-by-registration'),
  code: t('event-by-code'),
  recovery_code: t('event-by-recovery-code'),
  player: t('event-player-key'),
  agent: t('event-agent-key'),
}

const actorNames: Record<EventActor, Text> = {
  visitor: t('event-actor-visitor'),
  session: t('event-actor-person'),
  player: t('event-actor-person'),
  agent: t('event-actor-person'),
  command_line: t('event-actor-command-line'),
  service: t('event-actor-service'),
}

function eventText({ kind, detail }: SecurityEvent): Html {
  const detail_text = detailNames[detail.method ?? detail.key ?? '']
  return html`
    ${kindNames[kind]}
    ${detail_text && html`<br><span class="soft">${detail_text}</span>`}`
}

const deviceText = ({ browser, system }: SecurityEvent): Text =>
  joinTexts(
    [browser, system].filter((name) => name !== null),
    ', ',
  )

const actorText = ({ actor, actor_name }: SecurityEvent): Text => actor_name ?? actorNames[actor]

/** For whom the table is: the person, the owner of a listing, or operators. */
type Reader = 'person' | 'owner' | 'operator'

export function eventTable(events: readonly SecurityEvent[], reader: Reader): Html {
  const has_account = reader !== 'person'
  const head = [
    t('event-time'),
    t('event-kind'),
    ...(has_account ? [t('event-account')] : []),
    t('event-actor'),
    t('event-device'),
    t('event-network'),
  ]
  const rows = events.map((event) => [
    dateTimeTag(event.at),
    eventText(event),
    ...(has_account ? [event.username ?? '–'] : []),
    actorText(event),
    deviceText(event) || '–',
    event.network ? html`<code>${event.network}</code>` : '–',
  ])
  return table(t('security-events'), head, rows)
}
