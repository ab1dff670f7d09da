import { listApprovalsRoute } from '../../accounts/approvals/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { readApi } from '../call.ts'
import { button } from '../components/form.ts'
import { dateTimeTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { page } from '../components/layout.ts'
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
      title: 'Approvals · Slipway',
      noindex: true,
      body: html`
        <h1>Approvals</h1>
        ${accountTabs('/account/approvals')}
        <section class="panel" id="open">
          <h2>Waiting for you</h2>
          ${pending.length ? html`<ul class="plain">${pending.map(pendingRow)}</ul>` : nonePending}
        </section>
        ${closed.length > 0 && closedTable(closed)}
        <p class="soft">
          See everything your keys and apps did under <a href="/account/keys#done">Keys</a>.
        </p>
      `,
    })
  },
})

const nonePending = html`
  <p class="soft">
    No requests. Agents ask before they release a build to everyone or delete one.
  </p>
`

const closedTable = (approvals: readonly Approval[]) => html`
  <section class="panel" id="over">
    <h2>History</h2>
    ${table(
      'History',
      ['Requested', 'Request', 'Project', 'Status'],
      approvals.map(({ created_at, summary, game_name, status }) => [
        dateTimeTag(created_at),
        summary,
        game_name,
        status,
      ]),
    )}
  </section>
`

const pendingRow = ({ uid, summary, game_name, created_at, expires_at }: Approval): Html => html`
  <li class="key-row">
    <div>
      <strong>${summary}</strong>
      <p class="soft">
        ${game_name} · requested ${dateTimeTag(created_at)}, expires ${dateTimeTag(expires_at)}
      </p>
    </div>
    <form class="row" method="post" action="/approve/${uid}">
      <input type="hidden" name="list" value="yes">
      ${button('Allow once', { name: 'decision', value: 'approve' })}
      ${button('Deny', { kind: 'quiet', name: 'decision', value: 'deny' })}
    </form>
  </li>
`
