/** Every kind of security event, by what it is about. Pages and filters follow this order. */
export const eventGroups = {
  sign_in: [
    'sign_in',
    'sign_in_failed',
    'second_step_used',
    'second_step_failed',
    'step_up',
    'step_up_failed',
    'sessions_ended',
  ],
  credentials: [
    'password_changed',
    'password_reset_requested',
    'password_reset',
    'email_changed',
    'email_change_undone',
    'totp_added',
    'totp_removed',
    'passkey_added',
    'passkey_removed',
    'recovery_codes_replaced',
    'second_factor_reset',
    'second_factor_reset_requested',
    'second_factor_reset_stopped',
    'second_factor_reset_applied',
  ],
  keys: [
    'key_created',
    'key_revoked',
    'deploy_key_created',
    'deploy_key_revoked',
    'webhook_secret_created',
    'webhook_secret_shown',
    'grant_created',
    'grant_revoked',
    'upload_ended',
    'approval_ended',
  ],
  people: [
    'admin_invited',
    'admin_joined',
    'admin_removed',
    'operator_added',
    'operator_removed',
    'moderator_added',
    'moderator_removed',
  ],
  data: ['account_created', 'account_exported', 'account_deleted', 'listing_deleted'],
} as const

export type EventKind = (typeof eventGroups)[keyof typeof eventGroups][number]
export const eventKinds = Object.values(eventGroups).flat() as EventKind[]

/** Who did it: a person by a session or a key, somebody who is not signed in, or the service. */
export const eventActors = [
  'visitor',
  'session',
  'player',
  'agent',
  'command_line',
  'service',
] as const
export type EventActor = (typeof eventActors)[number]
