import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { DAY_MS } from '../core/runtime/units.ts'
import { normalizeTags } from '../listings/fields/taxonomy.ts'
import type { Labels } from '../listings/moderated/labels.ts'

/** What moderators decide on. The id of a tag is the uid of its listing, a colon and the tag. */
export const targetTypes = [
  'listing',
  'file',
  'build',
  'review',
  'community_tag',
  'image',
  'bug_message',
  'person',
] as const
export type TargetType = (typeof targetTypes)[number]

export const actions = [
  'dismiss',
  'warn',
  'label',
  'hide',
  'take_down',
  'quarantine',
  'remove',
  'suspend',
  'restore',
] as const
export type Action = (typeof actions)[number]

/** The actions that a target of each type can get. */
export const actionsOf: Record<TargetType, readonly Action[]> = {
  listing: ['dismiss', 'warn', 'label', 'hide', 'take_down', 'restore'],
  file: ['dismiss', 'warn', 'quarantine', 'restore'],
  build: ['dismiss', 'warn', 'quarantine', 'restore'],
  review: ['dismiss', 'warn', 'remove', 'restore'],
  community_tag: ['dismiss', 'remove', 'restore'],
  image: ['dismiss', 'warn', 'remove', 'restore'],
  bug_message: ['dismiss', 'warn'],
  person: ['dismiss', 'warn', 'suspend', 'restore'],
}

/**
 * The grounds of a decision: a law, or a rule of the store. The facts say which provision. The last
 * one is for decisions in favor of the publisher.
 */
export const grounds = [
  'law-copyright',
  'law-privacy',
  'law-illegal',
  'rule-malware',
  'rule-hate',
  'rule-spam',
  'rule-false-label',
  'rule-adult',
  'rule-other',
  'no-violation',
] as const
export type Ground = (typeof grounds)[number]

/** What made the team decide: reports about the target, a sweep, or neither of them. */
export const origins = ['report', 'sweep', 'own_initiative'] as const
export type Origin = (typeof origins)[number]

const favorable: readonly Action[] = ['dismiss', 'restore']

export const isFavorable = (action: Action) => favorable.includes(action)

/** Refuses a decision without a ground that fits it, or without facts. */
export function checkReasons(
  action: Action,
  reasons: { ground: string | undefined; facts: string | undefined },
): { ground: Ground; facts: string } {
  const ground = grounds.find((name) => name === reasons.ground)
  const fits = ground && (ground !== 'no-violation' || isFavorable(action))
  if (!fits)
    refuse(
      'GROUND_AND_FACTS_REQUIRED',
      { field: 'ground' },
      explain('moderation_ground', 'ground: name the law or rule that this decision rests on'),
    )
  const facts = reasons.facts?.trim()
  if (!facts)
    refuse(
      'GROUND_AND_FACTS_REQUIRED',
      { field: 'facts' },
      explain('moderation_facts', 'facts: state the facts that this decision rests on'),
    )
  return { ground, facts }
}

/** The labels of a decision in the form in which they are stored. */
export function checkLabels(labels: Labels | undefined): Labels {
  const { adult, content_warnings, tags } = labels ?? {}
  if (adult === undefined && !content_warnings && !tags)
    refuse(
      'MALFORMED',
      { field: 'labels' },
      explain('labels_missing', 'labels: name adult, content_warnings or tags'),
    )
  return {
    adult,
    content_warnings: content_warnings && [...new Set(content_warnings)],
    tags: tags && normalizeTags({ refusal: 'MALFORMED', field: 'tags' }, tags),
  }
}

/** The fields of labels that a decision set, as the log keeps them: lists are separated by spaces. */
export type LabelDetails = Partial<Record<keyof Labels, string>>

export const labelDetails = ({ adult, content_warnings, tags }: Labels): LabelDetails => ({
  ...(adult !== undefined && { adult: String(adult) }),
  ...(content_warnings && { content_warnings: content_warnings.join(' ') }),
  ...(tags && { tags: tags.join(' ') }),
})

const splitWords = (words: string): string[] => words.split(' ').filter(Boolean)

export const labelsOfDetails = ({ adult, content_warnings, tags }: LabelDetails): Labels => ({
  ...(adult !== undefined && { adult: adult === 'true' }),
  ...(content_warnings !== undefined && { content_warnings: splitWords(content_warnings) }),
  ...(tags !== undefined && { tags: splitWords(tags) }),
})

/** How long a decision can be appealed and undone; nothing is destroyed before. */
export const REVERSIBLE_DAYS = 180

/** When a suspension of some days ends; null for good. */
export const suspensionEnd = (days: number | null, now: Date): Date | null =>
  days === null ? null : new Date(now.getTime() + days * DAY_MS)
