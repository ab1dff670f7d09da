/**
 * How long the service keeps what it deletes by itself. Some are the defaults of settings (see
 * config.ts): `event_days` of EVENT_RETENTION_DAYS, `crash_days` of CRASH_RETENTION_DAYS,
 * `trash_days` of TRASH_DAYS.
 */
export const retention = {
  // Accounts
  approval_days: 90,
  call_log_days: 90,
  /** After they expired. */
  email_code_days: 1,
  password_reset_days: 1,
  /** Since the last sign-in on it; the cookie lasts as long. */
  known_device_days: 365,

  // Moderation: mail addresses of reporters, after the decision
  reporter_address_days: 180,
  /** Answers to requests with an Idempotency-Key. */
  idempotency_key_hours: 24,

  // Operators: which mails were sent, without their text
  mail_days: 30,

  // Agents: OAuth clients without a grant
  oauth_client_days: 90,

  // Listings
  /** Deleted ones with players, which can be restored until then. */
  deleted_listing_days: 7,
  /** The change feed of the search index. */
  listing_change_days: 1,
  /** Former addresses of pages; see former-name-queries.ts. */
  former_name_days: 365,

  // Builds: files that did not pass the scan
  rejected_file_days: 30,

  /** Statistics reach back a year; so long a withdrawn build is announced to those who have it. */
  download_attempt_days: 366,

  // Uploads: local parts of a session that is idle or gone
  idle_upload_hours: 4,

  // Telemetry
  event_days: 90,
  crash_days: 90,
  crash_counter_days: 7,
  /** After the upload link expired. */
  crash_upload_days: 1,
  crash_temp_file_hours: 1,

  // Bug reports
  delivered_bug_days: 30,
  failed_bug_delivery_days: 90,

  // External store: sessions, after they expired
  extstore_session_days: 30,

  // Storage: objects without a record, and temporary files of an interrupted write
  orphaned_object_days: 1,
  temp_file_days: 1,
  /** Removed objects; the default of TRASH_DAYS. */
  trash_days: 30,

  // Jobs
  waiting_job_days: 365,
  dead_job_days: 30,
  finished_job_hours: 1,
} as const

/** How far back download statistics, event analytics and launch health look. */
export const STATISTICS_DAYS = 30
/** How far back statistics can be read, where they are kept that long. */
export const MAX_STATISTICS_DAYS = 365
