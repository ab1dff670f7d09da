import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { listTexts, t } from '../../../core/text/text.ts'
import { targetText } from '../../../moderation/mail-templates.ts'
import { readQueueRoute } from '../../../moderation/queue/routes.ts'
import { kindTexts } from '../../../moderation/reports/mail-templates.ts'
import { readApi } from '../../call.ts'
import { dateTimeTag } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { emptyState, table } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { consoleModerator } from '../../visitor.ts'
import { renderConsole, searchForm } from '../console-page.ts'
import { APPEALS, DECISIONS, FIND, MODERATION, SWEEPS, targetPath } from './paths.ts'

type Queue = RouteData<typeof readQueueRoute>

const queueRow = (item: Queue['items'][number]) => [
  html`
    <a href="${targetPath(item.target_type, item.target_id)}">
      ${targetText(item.target_type, item.target_name)}
    </a>`,
  item.reports,
  listTexts(item.kinds.map((kind) => kindTexts[kind])),
  dateTimeTag(item.newest_at),
  item.assigned_to ?? '',
]

const head = [
  t('moderation-target'),
  t('moderation-reports'),
  t('report-kind'),
  t('moderation-newest'),
  t('moderation-assigned'),
]

const links = html`
  <ul class="link-row">
    <li><a href="${APPEALS}">${t('appeals')}</a></li>
    <li><a href="${DECISIONS}">${t('decision-log')}</a></li>
    <li><a href="${SWEEPS}">${t('sweeps')}</a></li>
  </ul>`

export const queuePage = getPage(MODERATION, 'Open reports, for moderators', {
  auth: consoleModerator,
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  async handle(input) {
    const queue = await readApi(input.request, readQueueRoute, {
      query: { page: pageNumber(input.query.page) },
    })
    const list = table(t('moderation-open-reports'), head, queue.items.map(queueRow))
    const none = emptyState(t('moderation-queue-empty'), t('moderation-queue-empty-text'))
    return renderConsole(input, MODERATION, {
      body: html`
        ${links}
        ${searchForm(FIND, { label: t('moderation-find'), q: '' })}
        ${queue.items.length ? list : none}
        ${pager(MODERATION, queue)}`,
    })
  },
})
