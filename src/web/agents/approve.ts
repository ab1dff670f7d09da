import { Type } from 'typebox'
import { approveRoute, denyRoute, readApprovalRoute } from '../../accounts/approvals/routes.ts'
import { type Text, t } from '../../core/text/text.ts'
import { callApi, readApi } from '../call.ts'
import { button, fieldValue, isChecked } from '../components/form.ts'
import { html, richText, strongText } from '../components/html.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { approvalText } from './approval-text.ts'

const params = Type.Object({ uid: Type.String() })
const outcomes: Record<string, Text> = {
  approved: t('outcome-approved'),
  denied: t('outcome-denied'),
  expired: t('outcome-expired'),
  used: t('outcome-used'),
}

export const approvalPage = getPage('/approve/:uid', 'Request of an agent', {
  auth: member,
  params,
  async handle(input) {
    const approval = await readApi(input.request, readApprovalRoute, { params: input.params })
    const form = html`
      <form class="form" method="post" action="/approve/${approval.uid}">
        ${button(t('allow-once'), { name: 'decision', value: 'approve' })}
        ${button(t('deny'), { kind: 'quiet', name: 'decision', value: 'deny' })}
      </form>
    `
    const outcome = html`<p class="notice" role="status">${outcomes[approval.status]}</p>`
    return narrowPage(input, {
      title: t('approve-title'),
      heading: t('approve-heading', { summary: approvalText(approval.summary) }),
      body: html`
        <p>
          ${richText('approve-text', { project: approval.game_name, strong: strongText })}
        </p>
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
