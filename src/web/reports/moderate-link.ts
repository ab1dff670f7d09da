import type { Identity } from '../../accounts/sessions/identity.ts'
import { t } from '../../core/text/text.ts'
import type { TargetType } from '../../moderation/decisions.ts'
import { type Html, html } from '../components/html.ts'
import { targetPath } from '../operator/moderation/paths.ts'

/** A quiet link to where the team decides on a target, for members of the team. */
export const moderateLink = (who: Identity | null, type: TargetType, id: string): Html | false =>
  Boolean(who?.operator || who?.moderator) &&
  html`<a class="soft report-link" rel="nofollow" href="${targetPath(type, id)}">${t('moderate')}</a>`
