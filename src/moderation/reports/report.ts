import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { DAY, HOUR, MINUTE } from '../../core/runtime/units.ts'
import { limitKey } from '../../core/security/client-address.ts'
import { sameBytes, uuidv7 } from '../../core/security/crypto.ts'
import { announceToWebhook } from '../webhook/deliver.ts'
import { insertReport, saveSnapshot, secondsToTeamMail } from './queries.ts'
import { checkReport, type ReportRequest } from './report-input.ts'
import { findVisibleTarget } from './visible-target.ts'

/** Counted by what is stored, so that a form with a mistake does not count. */
const perAddress = { points: 5, seconds: HOUR }
const perPerson = { points: 20, seconds: DAY }
const TEAM_MAIL_SECONDS = 10 * MINUTE

/** Derived from the report, so it is stored in no table and no queue. */
export const reportToken = ({ secrets }: Core, uid: string): string =>
  secrets.mac('report token', uid).toString('base64url')

export const isReportToken = (core: Core, uid: string, token: string): boolean =>
  sameBytes(reportToken(core, uid), token)

/** Tells reporters apart: by account, else by the address they gave, else by where they are. */
const reporterOf = (who: Identity | null, email: string | null, ip: string) =>
  who ? `account ${who.user_uid}` : email ? `mail ${email.toLowerCase()}` : `ip ${limitKey(ip)}`

async function withLimits(
  { limiter }: Core,
  { who, ip }: { who: Identity | null; ip: string },
  store: () => Promise<void>,
): Promise<void> {
  const uses = [
    { bucket: 'report address', key: limitKey(ip), limit: perAddress },
    ...(who ? [{ bucket: 'report account', key: who.user_uid, limit: perPerson }] : []),
  ]
  const taken: typeof uses = []
  try {
    for (const use of uses) {
      taken.push(use)
      await limiter.take(use.bucket, use.key, use.limit)
    }
    await store()
  } catch (error) {
    await Promise.all(taken.map(({ bucket, key }) => limiter.give(bucket, key)))
    throw error
  }
}

/** One mail to the team about all reports of the last minutes. */
async function announceReport({ jobs }: Core, tx: Tx): Promise<void> {
  const after_seconds = await secondsToTeamMail(tx, TEAM_MAIL_SECONDS)
  await jobs.send(tx, 'moderation.mail-team', {}, { key: 'team', after_seconds })
}

/** Stores a report with the target as it is now, and sends the receipt. */
export async function fileReport(
  core: Core,
  { who, ip }: { who: Identity | null; ip: string },
  request: ReportRequest,
): Promise<{ report_id: string; token: string }> {
  const fields = checkReport(request)
  const target = await findVisibleTarget({ core, who }, request.target_type, request.target_id)
  const uid = uuidv7()
  const reporter = reporterOf(who, fields.contact_email, ip)
  const has_team_address = core.settings.current.reports_email !== ''
  await withLimits(core, { who, ip }, () =>
    transact(core.sql, async (tx) => {
      const inserted = await insertReport(tx, target, {
        uid,
        kind: request.kind,
        ...fields,
        user_uid: who?.user_uid ?? null,
        reporter_hash: core.secrets.mac('reporter', reporter),
        network_hash: who ? null : core.secrets.mac('reporter', `ip ${limitKey(ip)}`),
        announced_at: has_team_address ? null : new Date(),
      })
      if (!inserted) refuse('REPORT_OPEN')
      await saveSnapshot(tx, uid, target)
      await core.jobs.send(tx, 'moderation.mail-report', { report_uid: uid })
      if (has_team_address) await announceReport(core, tx)
      await announceToWebhook(core, tx, uid)
    }),
  )
  return { report_id: uid, token: reportToken(core, uid) }
}
