import type { MailText } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'
import { actionTexts, targetText } from '../mail-templates.ts'
import type { AppealMail } from './queries.ts'

type Decided = Pick<
  AppealMail,
  'target_type' | 'target_name' | 'action' | 'outcome' | 'reasons'
> & { store: string }

export const appealMail = ({ store, target_type, target_name, ...appeal }: Decided): MailText => {
  const target = targetText(target_type, target_name)
  return {
    subject: t('mail-appeal-subject', { target }),
    paragraphs: [
      t('mail-appeal', { store, target, action: actionTexts[appeal.action] }),
      appeal.outcome === 'reversed' ? t('appeal-reversed') : t('appeal-upheld'),
      appeal.reasons,
    ],
  }
}
