import type { RouteData } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import type { readOverviewRoute } from '../../operator/console/overview-routes.ts'
import { type Html, html, richText } from '../components/html.ts'
import { postButton } from '../components/secret-field.ts'

export const CONFIRM_STORAGE = '/operator/storage/confirm'

type CleanUp = RouteData<typeof readOverviewRoute>['storage_cleanup']

/** Why objects are not removed, what to check, and a button that allows it. */
export function cleanUpWarnings({ refusal, sweeps }: CleanUp): Html[] {
  const button = postButton(t('storage-confirm'), CONFIRM_STORAGE)
  const command = html`<code>npm run admin -- storage check</code>`
  // The clean-ups are decided after the owner is clear.
  if (refusal) return [html`${t(`attention-storage-${refusal.replaceAll('_', '-')}`)} ${button}`]
  const sentences = sweeps.map(({ name, orphans, objects }) =>
    richText('attention-storage-sweep', {
      name: html`<code>${name}</code>`,
      orphans,
      objects,
      command,
    }),
  )
  return sentences.map((text, index) =>
    index === sentences.length - 1 ? html`${text} ${button}` : text,
  )
}
