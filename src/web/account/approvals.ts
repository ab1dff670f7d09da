import { listApprovalsRoute } from '../../accounts/approvals/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import { approvalText } from '../agents/approval-text.ts'
import { readApi } from '../call.ts'
import { button } from '../components/form.ts'
import { dateTimeTag } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import { page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { table } from '../components/table.ts'
import { getPage } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

type Approval = RouteData<typeof listApprovalsRoute>['approvals'][number]

/** All requests of agents, including those that emails link to individually. */
export const approvalsPage = getPage('/account/approvals', 'Requests of agents', {
  auth: member,
  async handle(input) {
    const { approvals } = await readApi(input.request, listApprovalsRoute)
    const pending = approvals.filter(({ status }) => status === 'pending')
    const closed = approvals.filter(({ status }) => status !== 'pending')
    return page(input, {
      title: withStoreName(input.core, t('approvals')),
      noindex: true,
      body: html`
        <h1>${t('approvals')}</h1>
        ${accountTabs('/account/approvals')}
        <section class="panel" id="open">
          <h2>${t('approvals-waiting')}</h2>
          ${pending.length ? html`<ul class="plain">${pending.map(pendingRow)}</ul>` : nonePending}
        </section>
        ${closed.length > 0 && closedTable(closed)}
        <p class="soft">${richText('approvals-see-activity', { link: linkTo('/account/keys#done') })}</p>
      `,
    })
  },
})

const nonePending = html`<p class="soft">${t('approvals-none')}</p>`

const statuses: Record<string, Text> = {
  approved: t('approval-approved'),
  denied: t('approval-denied'),
  expired: t('approval-expired'),
  used: t('approval-used'),
}

const closedTable = (approvals: readonly Approval[]) => html`
  <section class="panel" id="over">
    <h2>${t('approvals-history')}</h2>
    ${table(
      t('approvals-history'),
      [t('approval-requested'), t('approval-request'), t('project'), t('approval-status')],
      approvals.map(({ created_at, summary, game_name, status }) => [
        dateTimeTag(created_at),
        approvalText(summary),
        game_name,
        statuses[status] ?? status,
      ]),
    )}
  </section>
`

const pendingRow = ({ uid, summary, game_name, created_at, expires_at }: Approval): Html => html`
  <li class="key-row">
    <div>
      <strong>${approvalText(summary)}</strong>
      <p class="soft">
        ${richText('approval-times', {
          project: game_name,
          requested: dateTimeTag(created_at),
          expires: dateTimeTag(expires_at),
        })}
      </p>
    </div>
    <form class="row" method="post" action="/approve/${uid}">
      <input type="hidden" name="list" value="yes">
      ${button(t('allow-once'), { name: 'decision', value: 'approve' })}
      ${button(t('deny'), { kind: 'quiet', name: 'decision', value: 'deny' })}
    </form>
  </li>
`
