import { Type } from 'typebox'
import { approveRoute, denyRoute, readApprovalRoute } from '../../accounts/approvals/routes.ts'
import { callApi, readApi } from '../call.ts'
import { button, fieldValue, isChecked } from '../components/form.ts'
import { html } from '../components/html.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

const params = Type.Object({ uid: Type.String() })
const outcomes: Record<string, string> = {
  approved: 'You allowed this. Your agent can now do it.',
  denied: 'You denied this. It will not happen.',
  expired: 'This request has expired. Your agent can ask again.',
  used: 'You allowed this, and your agent did it.',
}

export const approvalPage = getPage('/approve/:uid', 'Request of an agent', {
  auth: member,
  params,
  async handle(input) {
    const approval = await readApi(input.request, readApprovalRoute, { params: input.params })
    const form = html`
      <form class="form" method="post" action="/approve/${approval.uid}">
        ${button('Allow once', { name: 'decision', value: 'approve' })}
        ${button('Deny', { kind: 'quiet', name: 'decision', value: 'deny' })}
      </form>
    `
    const outcome = html`<p class="notice" role="status">${outcomes[approval.status]}</p>`
    return narrowPage(input, {
      title: 'Approve a request',
      heading: `${approval.summary}?`,
      body: html`
        <p>Your agent asks to do this in <strong>${approval.game_name}</strong>.</p>
        ${approval.status === 'pending' ? form : outcome}
      `,
    })
  },
})

export const submitApproval = postForm('/approve/:uid', 'Allow or deny a request of an agent', {
  auth: member,
  params,
  async handle({ request, reply, params, body }) {
    const route = fieldValue(body, 'decision') === 'approve' ? approveRoute : denyRoute
    const answer = await callApi(request, route, { params })
    const next = isChecked(body, 'list')
      ? '/account/approvals'
      : `/approve/${encodeURIComponent(params.uid)}`
    return redirectTo(reply, next, answer.ok ? outcomes[answer.data.status] : answer.message)
  },
})
