import { Type } from 'typebox'
import { invitationLimits } from '../../accounts/invitations/invitations.ts'
import type { RouteData } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import {
  endInvitationRoute,
  listInvitationsRoute,
  makeInvitationRoute,
} from '../../operator/invitations/routes.ts'
import { callApi, readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import {
  checkField,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  isChecked,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { pager } from '../components/pager.ts'
import { confirmButton, copyable } from '../components/secret-field.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'

const URL = '/operator/invitations'
type Invitation = RouteData<typeof listInvitationsRoute>['items'][number]

const newInvitation: FormState = { values: { max_uses: 1, expires_in_days: 14 } }

type View = { state?: FormState; made_url?: string; page?: number }

async function renderInvitations(context: Context, view: View = {}) {
  const { state = newInvitation, made_url, page = 1 } = view
  const { core, request } = context
  const list = await readApi(request, listInvitationsRoute, { query: { page } })
  const { registration } = core.settings.current
  return renderConsole(context, URL, {
    body: html`
      <p class="soft">${t(`invitations-${registration}`)}</p>
      ${made_url && madeNotice(made_url)}
      ${invitationForm(state)}
      ${list.total > 0 && invitationList(list)}`,
  })
}

const invitationList = (list: RouteData<typeof listInvitationsRoute>): Html => html`
  <section class="subsection" aria-labelledby="list-title">
    <header><h2 id="list-title">${t('invitations-made')}</h2></header>
    ${invitationTable(list.items)}
    ${pager(URL, list)}
  </section>`

const madeNotice = (url: string): Html => html`
  <div class="notice notice-ok" role="status">
    <div>
      <p>${t('invitation-made')}</p>
      ${copyable(url, t('invitation-link'))}
    </div>
  </div>`

function invitationForm(state: FormState): Html {
  const note = textField(state, {
    name: 'note',
    label: t('invitation-note'),
    hint: t('invitation-note-hint'),
    maxlength: invitationLimits.note,
  })
  const uses = textField(state, {
    name: 'max_uses',
    label: t('invitation-uses'),
    type: 'number',
    min: 1,
    max: invitationLimits.uses,
    required: true,
  })
  const days = textField(state, {
    name: 'expires_in_days',
    label: t('invitation-days'),
    type: 'number',
    min: 1,
    max: invitationLimits.days,
    required: true,
  })
  const publish = checkField(state, {
    name: 'may_publish',
    label: t('invitation-may-publish'),
    hint: t('invitation-may-publish-hint'),
  })
  const names = ['note', 'max_uses', 'expires_in_days', 'may_publish']
  const form = { action: URL, names, submit: t('invitation-make') }
  return fieldForm(state, form, [note, html`<div class="pair">${uses}${days}</div>`, publish])
}

const stateBadge = ({ state }: Invitation): Html =>
  badge(t(`invitation-${state}`), state === 'open' ? 'ok' : 'soft')

const invitationTable = (items: readonly Invitation[]): Html =>
  table(
    t('console-invitations'),
    ['note', 'state', 'used', 'people', 'expires', 'action'].map((column) =>
      t(`invitation-column-${column}`),
    ),
    items.map((invitation) => [
      html`
        ${invitation.note || t('invitation-no-note')}
        ${invitation.may_publish && badge(t('invitation-publishes'))}`,
      stateBadge(invitation),
      t('invitation-used-of', { uses: invitation.uses, max: invitation.max_uses }),
      html`
        ${invitation.usernames.map(
          (username) => html`<a class="spaced" href="/${username}">${username}</a> `,
        )}`,
      dateTag(invitation.expires_at),
      invitation.state === 'open'
        ? confirmButton({
            label: t('invitation-end'),
            sentence: t('invitation-end-text'),
            action: `${URL}/${invitation.uid}/end`,
          })
        : '',
    ]),
  )

const readInvitation = (sent: FormBody) => ({
  note: fieldValue(sent, 'note').trim(),
  max_uses: Number(fieldValue(sent, 'max_uses')),
  expires_in_days: Number(fieldValue(sent, 'expires_in_days')),
  may_publish: isChecked(sent, 'may_publish'),
})

const showInvitations = getPage(URL, 'Invitations to sign up', {
  auth: consoleOperator,
  query: Type.Object({ page: Type.Optional(Type.String()) }),
  handle: (input) => renderInvitations(input, { page: Number(input.query.page) || 1 }),
})

/** The link is on the page that answers, because it cannot be read again. */
const makeInvitation = postForm(URL, 'Make an invitation', {
  auth: consoleOperator,
  async handle(input) {
    const { request, reply, body: sent } = input
    const answer = await callApi(request, makeInvitationRoute, { body: readInvitation(sent) })
    if (answer.ok) return renderInvitations(input, { made_url: answer.data.url })
    reply.code(answer.status)
    return renderInvitations(input, { state: rejectedForm(sent, answer) })
  },
})

const endInvitation = postForm(`${URL}/:uid/end`, 'End an invitation', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    const answer = await callApi(request, endInvitationRoute, { params })
    return redirectTo(reply, URL, answer.ok ? t('invitation-ended') : answer.message)
  },
})

export const invitationPages = [showInvitations, makeInvitation, endInvitation]
