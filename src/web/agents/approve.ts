import { Type } from 'typebox'
import { call, read } from '../call.ts'
import { button, fieldValue, isChecked } from '../components/form.ts'
import { html } from '../components/html.ts'
import { page } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

const params = Type.Object({ uid: Type.String() })
const api = (uid: string, verb = '') =>
  `/api/v1/private/approvals/${encodeURIComponent(uid)}${verb}`
const said: Record<string, string> = {
  approved: 'You allowed it. Your agent can do it now.',
  denied: 'You denied it. It will not happen.',
  expired: 'The time for this is over. Your agent can ask again.',
  used: 'You allowed it, and it was done.',
}

export const showApproval = getPage('/approve/:uid', 'Decide what an agent asked for', {
  auth: member,
  params,
  async handle(input) {
    const approval = await read(input.request, api(input.params.uid))
    return page(input, {
      title: 'Approve? · Slipway',
      noindex: true,
      body: html`<section class="narrow">
        <h1>${approval.summary}?</h1>
        <p>Your agent asks for this in <strong>${approval.game_name}</strong>.</p>
        ${
          approval.status === 'pending'
            ? html`<form class="form" method="post" action="/approve/${approval.uid}">
          ${button('Allow it once', { name: 'decision', value: 'approve' })} ${button('Deny it', { kind: 'quiet', name: 'decision', value: 'deny' })}
        </form>`
            : html`<p class="notice" role="status">${said[approval.status]}</p>`
        }
      </section>`,
    })
  },
})

export const sendApproval = postForm('/approve/:uid', 'Decide what an agent asked for', {
  auth: member,
  params,
  async handle({ request, reply, params, body }) {
    const verb = fieldValue(body, 'decision') === 'approve' ? '/approve' : '/deny'
    const answer = await call(request, 'POST', api(params.uid, verb), {})
    // Back to where it was decided.
    const to = isChecked(body, 'list')
      ? '/account/approvals'
      : `/approve/${encodeURIComponent(params.uid)}`
    return redirectTo(reply, to, answer.ok ? said[answer.data.status] : answer.message)
  },
})
