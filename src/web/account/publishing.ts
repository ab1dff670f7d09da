import { MAX_REQUEST, readPublishing, requestPublishing } from '../../accounts/publishing/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import { callApi, readApi } from '../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textArea,
} from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { backToSettings } from './account-form.ts'

/** Where people ask for the right to publish, in a store where operators decide about it. */

const URL = '/settings/publishing'
type Publishing = RouteData<typeof readPublishing>

async function renderPublishing(context: Context, state: FormState) {
  const publishing = await readApi(context.request, readPublishing)
  return narrowPage(context, {
    title: t('publishing-title'),
    body: html`
      ${publishing.may_publish ? html`<p>${t('publishing-allowed')}</p>` : needed(publishing, state)}
      ${backToSettings}
    `,
  })
}

function needed(publishing: Publishing, state: FormState): Html {
  const { mode, state: decision, reason, requested_at } = publishing
  const declined = html`
    <p class="notice notice-warn"><span>${t('publishing-declined', { reason })}</span></p>`
  return html`
    <p>${mode === 'invited' ? t('publishing-by-invitation') : t('publishing-by-approval')}</p>
    ${decision === 'declined' && declined}
    ${decision === 'requested' && requested_at && waiting(publishing.request, requested_at)}
    ${mode === 'approval' && decision !== 'requested' && requestForm(state)}`
}

const waiting = (request: string, requested_at: string): Html => html`
  <p class="notice">
    <span>${richText('publishing-waiting', { date: dateTag(requested_at) })}</span>
  </p>
  <blockquote class="soft">${request}</blockquote>`

function requestForm(state: FormState): Html {
  const text = textArea(state, {
    name: 'text',
    label: t('publishing-text'),
    hint: t('publishing-text-hint'),
    maxlength: MAX_REQUEST,
    required: true,
  })
  const form = { action: URL, names: ['text'], submit: button(t('publishing-request')) }
  return fieldForm(state, form, text)
}

export const publishingPage = getPage(URL, 'The right to publish', {
  auth: member,
  handle: (input) => renderPublishing(input, emptyForm),
})

export const submitPublishing = postForm(URL, 'Ask for the right to publish', {
  auth: member,
  async handle(input) {
    const { request, reply, body: sent } = input
    const body = { text: fieldValue(sent, 'text') }
    const answer = await callApi(request, requestPublishing, { body })
    if (answer.ok) return redirectTo(reply, URL, t('publishing-request-sent'))
    reply.code(answer.status)
    return renderPublishing(input, rejectedForm(sent, answer))
  },
})
