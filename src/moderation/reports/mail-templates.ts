import type { MailText } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'
import type { TargetType } from '../decisions.ts'
import { targetText } from '../mail-templates.ts'

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
