import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { retention } from '../../core/runtime/retention.ts'
import { uuidOf } from '../../core/security/crypto.ts'
import { type MailText, mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { newReportsMail, receiptMail, reportDecidedMail } from './mail-templates.ts'
import {
  findReportMail,
  findReportsToAnnounce,
  forgetAddresses,
  markAnnounced,
  outcomeOf,
  type ReportMail,
} from './queries.ts'
import { reportToken } from './report.ts'

const details = (core: Core, report: ReportMail) => ({
  ...report,
  store: core.settings.current.store_name,
  url: `${core.addresses.web_url}/report/${report.uid}?token=${reportToken(core, report.uid)}`,
})

async function send(core: Core, { to, language }: ReportMail, id: string, text: MailText) {
  const mail = writeMail(text, mailLanguage(core.config, language))
  await core.mail.send({ ...mail, id, to, created_at: new Date() })
}

export const mailReport = job<{ report_uid: string }>({
  name: 'moderation.mail-report',
  async handle({ core, data: { report_uid } }) {
    const report = await findReportMail(core.sql, report_uid)
    if (report) await send(core, report, report_uid, receiptMail(details(core, report)))
  },
})

export const mailReportDecided = job<{ report_uid: string }>({
  name: 'moderation.mail-report-decided',
  async handle({ core, data: { report_uid } }) {
    const report = await findReportMail(core.sql, report_uid)
    if (!report?.decided_at) return
    const action_taken = outcomeOf(report.action) === 'action_taken'
    // The receipt has the id of the report.
    const id = uuidOf(core.secrets.mac('report decision', report_uid).toString('hex').slice(0, 32))
    await send(core, report, id, reportDecidedMail({ ...details(core, report), action_taken }))
  },
})

export const forgetReporters = job({
  name: 'moderation.forget-reporters',
  schedule: '23 4 * * *',
  handle: ({ finish }) => finish((tx) => forgetAddresses(tx, retention.reporter_address_days)),
})

/** To the address of the team, about all new reports. */
export const mailTeam = job({
  name: 'moderation.mail-team',
  async handle({ core, finish }) {
    const { reports_email, store_name } = core.settings.current
    const reports = await findReportsToAnnounce(core.sql)
    const uids = reports.map(({ uid }) => uid)
    if (reports_email && uids[0]) {
      const url = `${core.addresses.web_url}/operator/moderation`
      const text = newReportsMail({ store: store_name, url, reports })
      // A mail that is sent again after a crash has the same id.
      const id = uuidOf(core.secrets.mac('team mail', uids[0]).toString('hex').slice(0, 32))
      const mail = writeMail(text, mailLanguage(core.config, null))
      await core.mail.send({ ...mail, id, to: reports_email, created_at: new Date() })
    }
    await finish((tx) => markAnnounced(tx, uids))
  },
})
