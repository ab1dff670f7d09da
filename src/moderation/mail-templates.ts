import type { SuspensionScope } from '../accounts/people/suspension.ts'
import type { MailText } from '../core/text/mail-text.ts'
import { tableText } from '../core/text/table-text.ts'
import { listTexts, type Text, t } from '../core/text/text.ts'
import { fieldOf } from '../listings/fields/fields.ts'
import { valueLabel } from '../listings/fields/labels.ts'
import type { Labels } from '../listings/moderated/labels.ts'
import {
  type Action,
  type Ground,
  type LabelDetails,
  labelsOfDetails,
  type Origin,
  type TargetType,
} from './decisions.ts'

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

/** What made the team decide; people always decide, a sweep only finds. */
export const originTexts: Record<Origin, Text> = {
  report: t('moderation-origin-report'),
  sweep: t('moderation-origin-sweep'),
  own_initiative: t('moderation-origin-own'),
}

/** Without a sentence of its own, a statement is the facts. */
export const repeatsFacts = ({ statement, facts }: { statement: string; facts: string }) =>
  statement === facts

const valueTexts = (name: 'content_warnings' | 'tags', values: readonly string[]): Text =>
  values.length
    ? listTexts(
        values.map((value) => tableText('value', value, valueLabel(name, value))),
        'unit',
      )
    : t('moderation-labels-none')

/** What a decision set on a listing: the name of each label with its value. */
function labelTexts({ adult, ...lists }: Labels): [Text, Text][] {
  const names = (['content_warnings', 'tags'] as const).filter((name) => lists[name])
  return [
    ...(adult === undefined ? [] : [adultText(adult)]),
    ...names.map((name): [Text, Text] => [
      tableText('field', name, fieldOf(name).label),
      valueTexts(name, lists[name]!),
    ]),
  ]
}

/** From what a person is suspended, and for how long. */
const suspensionTexts = ({ scope, days }: Suspension): [Text, Text][] => [
  [
    t('moderation-suspended-from'),
    scope === 'publishing' ? t('moderation-scope-publishing') : t('moderation-scope-everything'),
  ],
  [
    t('moderation-suspended-for'),
    days === null ? t('moderation-for-good') : t('moderation-for-days', { days }),
  ],
]

/** What the decision sets, besides what its name says. */
export const effectTexts = ({ labels, suspension }: Effect): [Text, Text][] => [
  ...labelTexts(labels ?? {}),
  ...(suspension ? suspensionTexts(suspension) : []),
]

const adultText = (adult: boolean): [Text, Text] => [
  t('moderation-adult'),
  adult ? t('moderation-adult-yes') : t('moderation-adult-no'),
]

type Suspension = { scope: SuspensionScope; days: number | null }
type Effect = { labels: Labels | null; suspension: Suspension | null }

type Statement = {
  store: string
  target_type: TargetType
  target_name: string
  action: Action
  ground: Ground
  facts: string
  origin: Origin
  statement: string
  labels: LabelDetails | null
  suspension: Suspension | null
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
      ...effectTexts({ ...rest, labels: labelsOfDetails(rest.labels ?? {}) }).map(
        ([label, value]) => t('mail-statement-label', { label, value }),
      ),
      ...(repeatsFacts(rest) ? [] : [rest.statement]),
      t('mail-statement-ground', { ground: groundTexts[rest.ground] }),
      t('mail-statement-facts', { facts: rest.facts }),
      t('mail-statement-label', {
        label: t('moderation-origin'),
        value: originTexts[rest.origin],
      }),
      t('mail-statement-more', { url: rest.url }),
      ...(rest.appeal_url
        ? [t('mail-statement-appeal', { url: rest.appeal_url }), t('moderation-redress')]
        : []),
    ],
  }
}
