import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { findMail } from './queries.ts'

/** Jobs whose mails contain no code and no link that works once, and can be sent twice. */
const repeatable: readonly string[] = [
  'accounts.mail-email-changed',
  'accounts.mail-password-changed',
  'accounts.mail-publishing-decision',
  'accounts.mail-publishing-request',
  'bugs.mail-disabled',
  'listings.mail-held-release',
  'listings.mail-release-decision',
  'moderation.mail-report-decided',
  'moderation.mail-statement',
  'telemetry.warn',
]

const QUEUED = explain('mail_queued', 'This mail is queued already and will be sent')
const SINGLE_USE = explain(
  'mail_single_use',
  'This mail may contain a code or a link that works once; the person can request a new one',
)

/** Retries a mail, or sends it again. The actor is null for the command line. */
export async function resendMail(
  { sql, jobs }: Core,
  actor: string | null,
  uid: string,
): Promise<void> {
  const mail = (await findMail(sql, uid)) ?? refuse('NOT_FOUND')
  if (mail.state === 'queued') refuse('CONFLICT', undefined, QUEUED)
  if (mail.dead_id) await jobs.replay([mail.dead_id])
  else if (!repeatable.includes(mail.kind)) refuse('CONFLICT', undefined, SINGLE_USE)
  else await jobs.send(sql, mail.kind, mail.job_data ?? {})
  await recordAudit(sql, {
    user_uid: actor,
    game_uid: null,
    action: 'operator.resend-mail',
    detail: { mail: uid, kind: mail.kind },
  })
}
