import type { MailText } from '../core/text/mail-text.ts'
import { type Text, t } from '../core/text/text.ts'
import type { Action, Ground, TargetType } from './decisions.ts'

/** What a decision is about, with the name of the target. */
export const targetText = (type: TargetType, name: string): Text =>
  ({
    listing: t('moderation-target-listing', { name }),
    file: t('moderation-target-file', { name }),
    build: t('moderation-target-build', { name }),
    review: t('moderation-target-review', { name }),
    community_tag: t('moderation-target-tag', { name }),
    image: t('moderation-target-image', { name }),
    bug_message: t('moderation-target-bug-message', { name }),
    person: t('moderation-target-person', { name }),
  })[type]

/** What happened to the target. */
export const actionTexts: Record<Action, Text> = {
  dismiss: t('moderation-action-dismiss'),
  warn: t('moderation-action-warn'),
  label: t('moderation-action-label'),
  hide: t('moderation-action-hide'),
  take_down: t('moderation-action-take-down'),
  quarantine: t('moderation-action-quarantine'),
  remove: t('moderation-action-remove'),
  suspend: t('moderation-action-suspend'),
  restore: t('moderation-action-restore'),
}

export const groundTexts: Record<Ground, Text> = {
  'law-copyright': t('moderation-ground-law-copyright'),
  'law-privacy': t('moderation-ground-law-privacy'),
  'law-illegal': t('moderation-ground-law-illegal'),
  'rule-malware': t('moderation-ground-rule-malware'),
  'rule-hate': t('moderation-ground-rule-hate'),
  'rule-spam': t('moderation-ground-rule-spam'),
  'rule-false-label': t('moderation-ground-rule-false-label'),
  'rule-adult': t('moderation-ground-rule-adult'),
  'rule-other': t('moderation-ground-rule-other'),
  'no-violation': t('moderation-ground-no-violation'),
}

type Statement = {
  store: string
  target_type: TargetType
  target_name: string
  action: Action
  ground: Ground
  facts: string
  statement: string
  url: string
  /** Null for a decision that nobody appeals, such as a restoration. */
  appeal_url: string | null
}

export const statementMail = ({
  store,
  target_type,
  target_name,
  ...rest
}: Statement): MailText => {
  const target = targetText(target_type, target_name)
  return {
    subject: t('mail-statement-subject', { target }),
    paragraphs: [
      t('mail-statement', { store, target, action: actionTexts[rest.action] }),
      rest.statement,
      t('mail-statement-ground', { ground: groundTexts[rest.ground] }),
      t('mail-statement-facts', { facts: rest.facts }),
      t('mail-statement-more', { url: rest.url }),
      ...(rest.appeal_url ? [t('mail-statement-appeal', { url: rest.appeal_url })] : []),
    ],
  }
}
