import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import type { PublishedPolicy } from '../../core/settings/queries.ts'

/** The pages that operators write. Each has its kind as its address. */
export const policyKinds = ['terms', 'privacy', 'rules', 'imprint', 'about'] as const
export type PolicyKind = (typeof policyKinds)[number]
export const isPolicyKind = (kind: string): kind is PolicyKind =>
  (policyKinds as readonly string[]).includes(kind)

export const policyLimits = { text: 200_000, summary: 1000, days_ahead: 365 } as const

/** A day in UTC, as 2027-01-31. Days in this form are in order as text. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** The versions of a kind, oldest first. */
const versionsOf = (policies: readonly PublishedPolicy[], kind: PolicyKind) =>
  policies.filter((policy) => policy.kind === kind)

/** The newest version, which may take effect later; undefined without any. */
export const newestPolicy = (policies: readonly PublishedPolicy[], kind: PolicyKind) =>
  versionsOf(policies, kind).at(-1)

/** The version in effect; undefined before the first one is. */
export const policyInEffect = (
  policies: readonly PublishedPolicy[],
  kind: PolicyKind,
  now: Date,
): PublishedPolicy | undefined =>
  versionsOf(policies, kind).findLast(({ effective_from }) => effective_from <= dayOf(now))

/** The version that the page of the kind shows. */
export const currentPolicy = (policies: readonly PublishedPolicy[], kind: PolicyKind, now: Date) =>
  policyInEffect(policies, kind, now) ?? newestPolicy(policies, kind)

/** What templates leave to be filled in. */
const PLACEHOLDER = /\[\[[^\]]{1,300}\]\]/

/** A text from a template must be complete before people read it. */
export function checkPolicyText(text: string): string {
  if (!text.trim())
    refuse('MALFORMED', { field: 'text' }, explain('required', 'body.text: this field is required'))
  const placeholder = text.match(PLACEHOLDER)?.[0]
  if (placeholder)
    refuse(
      'MALFORMED',
      { field: 'text' },
      explain('policy_placeholder', `body.text: replace or remove ${placeholder}`, { placeholder }),
    )
  return text.trim()
}

/** A version takes effect today at the earliest, because nobody could have known it before. */
export function checkEffectiveFrom(day: string | undefined, now: Date): string {
  const first = dayOf(now)
  if (day === undefined) return first
  const last = dayOf(new Date(now.getTime() + policyLimits.days_ahead * DAY_MS))
  if (!isDay(day) || day < first || day > last)
    refuse(
      'MALFORMED',
      { field: 'effective_from' },
      explain('policy_date', `body.effective_from: a day from ${first} to ${last}`, {
        first,
        last,
      }),
    )
  return day
}

const isDay = (text: string) => {
  const time = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time.getTime()) && dayOf(time) === text
}
