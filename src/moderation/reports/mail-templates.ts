import type { MailText } from '../../core/text/mail-text.ts'
import { type Text, t } from '../../core/text/text.ts'
import type { TargetType } from '../decisions.ts'
import { targetText } from '../mail-templates.ts'
import type { ReportKind } from './report-input.ts'

export const kindTexts: Record<ReportKind, Text> = {
  illegal: t('report-kind-illegal'),
  malware: t('report-kind-malware'),
  copyright: t('report-kind-copyright'),
  privacy: t('report-kind-privacy'),
  hate: t('report-kind-hate'),
  spam: t('report-kind-spam'),
  'false-label': t('report-kind-false-label'),
  other: t('report-kind-other'),
}

type Report = { store: string; target_type: TargetType; target_name: string; url: string }

export const receiptMail = ({ store, target_type, target_name, url }: Report): MailText => {
  const target = targetText(target_type, target_name)
  return {
    subject: t('mail-report-subject', { target }),
    paragraphs: [
      t('mail-report', { store, target }),
      t('mail-report-next'),
      t('mail-report-state', { url }),
    ],
  }
}

type Decided = Report & { action_taken: boolean }

export const reportDecidedMail = ({ action_taken, ...report }: Decided): MailText => {
  const target = targetText(report.target_type, report.target_name)
  return {
    subject: t('mail-report-decided-subject', { target }),
    paragraphs: [
      t('mail-report-decided', { store: report.store, target }),
      action_taken ? t('mail-report-action-taken') : t('mail-report-no-action'),
      t('mail-report-state', { url: report.url }),
    ],
  }
}

/** More are only counted. */
const MAX_LISTED = 20

export type AnnouncedReport = { target_type: TargetType; target_name: string; kind: ReportKind }
type NewReports = { store: string; url: string; reports: readonly AnnouncedReport[] }

export const newReportsMail = ({ store, url, reports }: NewReports): MailText => {
  const listed = reports.slice(0, MAX_LISTED).map(({ target_type, target_name, kind }) =>
    t('mail-new-report', {
      target: targetText(target_type, target_name),
      kind: kindTexts[kind],
    }),
  )
  const more = reports.length - listed.length
  return {
    subject: t('mail-new-reports-subject', { count: reports.length, store }),
    paragraphs: [
      ...listed,
      ...(more > 0 ? [t('mail-new-reports-more', { count: more })] : []),
      t('mail-new-reports', { url }),
    ],
  }
}
