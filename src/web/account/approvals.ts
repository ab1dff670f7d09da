import { read } from '../call.ts'
import { button } from '../components/form.ts'
import { dateTimeTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { page } from '../components/layout.ts'
import { table } from '../components/table.ts'
import { getPage } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

type Approval = {
  uid: string
  status: string
  summary: string
  game_name: string
  created_at: string
  expires_at: string
}

/** Where agents wait for a person: what the mails ask, all in one place. */
export const showApprovals = getPage('/account/approvals', 'What agents ask you to approve', {
  auth: member,
  async handle(input) {
    const { approvals } = await read<{ approvals: Approval[] }>(
      input.request,
      '/api/v1/private/approvals',
    )
    const open = approvals.filter(({ status }) => status === 'pending')
    const over = approvals.filter(({ status }) => status !== 'pending')
    return page(input, {
      title: 'Approvals · Slipway',
      noindex: true,
      body: html`<h1>Approvals</h1>${accountTabs('/account/approvals')}
<section class="panel" id="open"><h2>Waiting for you</h2>${open.length ? html`<ul class="plain">${open.map(waiting)}</ul>` : html`<p class="soft">Nothing. Agents ask before they release to everyone or delete a build.</p>`}</section>
${
  over.length > 0 &&
  html`<section class="panel" id="over"><h2>Decided or over</h2>${table(
    'Decided or over',
    ['Asked', 'What', 'Project', 'State'],
    over.map((one) => [dateTimeTag(one.created_at), one.summary, one.game_name, one.status]),
  )}</section>`
}
<p class="soft">Everything your keys and apps did is on the page of <a href="/account/keys#done">your keys</a>.</p>`,
    })
  },
})

const waiting = ({ uid, summary, game_name, created_at, expires_at }: Approval): Html =>
  html`<li class="key-row"><div><strong>${summary}</strong><p class="soft">${game_name} · asked ${dateTimeTag(created_at)}, until ${dateTimeTag(expires_at)}</p></div>
<form class="row" method="post" action="/approve/${uid}"><input type="hidden" name="list" value="yes">${button('Allow it once', { name: 'decision', value: 'approve' })} ${button('Deny it', { kind: 'quiet', name: 'decision', value: 'deny' })}</form></li>`
