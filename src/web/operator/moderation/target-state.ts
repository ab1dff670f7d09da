import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import type { readTargetRoute } from '../../../moderation/targets/routes.ts'
import type { StateName } from '../../../moderation/targets/states.ts'
import { badge } from '../../components/badge.ts'
import { dateTimeTag, labelOf } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'

type Tone = 'ok' | 'warn' | 'bad' | 'soft'
type State = RouteData<typeof readTargetRoute>['states'][number]

const stateBadges: Record<StateName, [Text, Tone]> = {
  public: [labelOf('public'), 'ok'],
  invisible: [labelOf('invisible'), 'soft'],
  owner: [labelOf('owner'), 'warn'],
  draft: [labelOf('draft'), 'warn'],
  deleted: [t('listing-deleted'), 'bad'],
  hidden: [t('moderation-action-hide'), 'bad'],
  taken_down: [t('moderation-action-take-down'), 'bad'],
  clean: [t('sweep-scan-clean'), 'ok'],
  scanning: [t('sweep-scan-scanning'), 'soft'],
  infected: [t('sweep-scan-infected'), 'bad'],
  error: [t('sweep-scan-error'), 'bad'],
  quarantined: [t('sweep-scan-quarantined'), 'bad'],
  withdrawn: [t('sweep-scan-withdrawn'), 'soft'],
  removed: [t('moderation-action-remove'), 'bad'],
  not_shown: [t('target-not-shown'), 'soft'],
  active: [t('target-active'), 'ok'],
  suspended_publishing: [t('target-suspended-publishing'), 'bad'],
  suspended_everything: [t('target-suspended-everything'), 'bad'],
  listing_deleted: [t('target-listing-deleted'), 'bad'],
  listing_taken_down: [t('target-listing-taken-down'), 'bad'],
}

export const targetStateBadge = (state: StateName): Html => badge(...stateBadges[state])

const isSuspension = (state: StateName) => state.startsWith('suspended_')

function timeOf({ state, since, until }: State): Html | Text | '' {
  if (state === 'deleted' && until)
    return richText('target-restorable-until', { date: dateTimeTag(until) })
  if (until) return richText('target-until', { date: dateTimeTag(until) })
  if (isSuspension(state)) return t('moderation-for-good')
  return since ? richText('target-since', { date: dateTimeTag(since) }) : ''
}

/** What a target is now, with since when or until when. */
export const targetStateList = (states: readonly State[]): Html => html`
  <ul class="plain">
    ${states.map(
      (state) => html`
        <li>
          ${targetStateBadge(state.state)}
          <span class="soft">${timeOf(state)}</span>
        </li>`,
    )}
  </ul>`
