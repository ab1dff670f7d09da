import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { retention } from '../../core/runtime/retention.ts'
import { type Text, t } from '../../core/text/text.ts'
import { listMailRoute, MAX_BOUNCES, resendMailRoute } from '../../operator/mail/outbox-routes.ts'
import { mailStates, type OutboxState } from '../../operator/mail/queries.ts'
import { callApi, readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { type FormState, formMessage, optionTags, rejectedForm } from '../components/form.ts'
import { dateTimeTag, formatNumber } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { pageNumber, pager } from '../components/pager.ts'
import { postButton } from '../components/secret-field.ts'
import { emptyState, table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'

const URL = '/operator/mail'
type Outbox = RouteData<typeof listMailRoute>
type Mail = Outbox['items'][number]

const stateNames: Record<OutboxState, Text> = {
  queued: t('mail-state-queued'),
  sent: t('mail-state-sent'),
  failed: t('mail-state-failed'),
  bounced: t('mail-state-bounced'),
}
const stateTones = { queued: 'soft', sent: 'ok', failed: 'bad', bounced: 'warn' } as const

const recipientOf = ({ recipient, recipient_bounces }: Mail): Html => html`
  ${recipient ?? '–'}
  ${recipient_bounces >= MAX_BOUNCES && badge(t('mail-bounces', { count: recipient_bounces }), 'bad')}`

const mailTable = (mails: readonly Mail[]): Html =>
  table(
    t('console-mail'),
    [
      t('mail-time'),
      t('mail-kind'),
      t('mail-recipient'),
      t('console-state'),
      t('job-error'),
      t('mail-resend'),
    ],
    mails.map((mail) => [
      dateTimeTag(mail.created_at),
      html`<code>${mail.kind}</code>`,
      recipientOf(mail),
      badge(stateNames[mail.state], stateTones[mail.state]),
      html`<span class="job-error">${mail.error || '–'}</span>`,
      mail.state === 'queued' ? '–' : postButton(t('mail-resend'), `${URL}/${mail.uid}/resend`),
    ]),
  )

const stateOptions = [
  { value: '', label: t('console-any-state') },
  ...mailStates.map((value) => ({ value, label: stateNames[value] })),
]

const filterForm = (state: string): Html => html`
  <form class="console-search" action="${URL}">
    <label class="sr" for="state">${t('console-state')}</label>
    <select id="state" name="state">${optionTags(stateOptions, state)}</select>
    <button class="button button-ink">${t('search-button')}</button>
  </form>`

const figures = ({ counts }: Outbox): Html => html`
  <ul class="figures">
    ${mailStates.map(
      (state) => html`
        <li>
          <a href="${URL}?state=${state}">
            <strong>${formatNumber(counts[state])}</strong> ${stateNames[state]}
          </a>
        </li>`,
    )}
  </ul>`

const isState = (state: string): state is OutboxState =>
  (mailStates as readonly string[]).includes(state)

type View = { state: string; page: number; form?: FormState }

const mailServer = linkTo('/operator/settings#mail-server')

/** Without a mail server, mails that count as sent are files that nobody receives. */
const outboxNotice = ({ core: { config, settings } }: Context): Html | false =>
  !(config.smtp_url || settings.mail_server) &&
  html`
    <p class="notice">
      <span>${richText('attention-no-mail', { link: mailServer })}</span>
    </p>`

async function renderMail(context: Context, { state, page, form }: View) {
  const filter = isState(state) ? { state } : {}
  const data = await readApi(context.request, listMailRoute, { query: { ...filter, page } })
  return renderConsole(context, URL, {
    body: html`
      ${form && formMessage(form)}
      ${outboxNotice(context)}
      <p class="soft">${t('console-mail-text', { days: retention.mail_days })}</p>
      ${figures(data)}
      ${filterForm(state)}
      ${data.items.length ? mailTable(data.items) : emptyState(t('mail-none'), t('mail-none-text'))}
      ${pager(isState(state) ? `${URL}?${new URLSearchParams({ state })}` : URL, data)}`,
  })
}

const mailPage = getPage(URL, 'Mails of the store', {
  auth: consoleOperator,
  query: Type.Object({
    state: Type.String({ default: '' }),
    page: Type.String({ default: '1' }),
  }),
  handle: (input) =>
    renderMail(input, { state: input.query.state, page: pageNumber(input.query.page) }),
})

const resendMail = postForm(`${URL}/:uid/resend`, 'Send a mail again', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String() }),
  async handle(input) {
    const { request, reply, body, params } = input
    const answer = await callApi(request, resendMailRoute, { params })
    if (answer.ok) return redirectTo(reply, URL, t('mail-resent'))
    reply.code(answer.status)
    return renderMail(input, { state: '', page: 1, form: rejectedForm(body, answer) })
  },
})

export const mailPages = [mailPage, resendMail]
