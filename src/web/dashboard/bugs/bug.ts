import { MAX_CLIENT_VERSION } from '../../../bugs/reports/report-limits.ts'
import { changeBug, readBug } from '../../../bugs/tickets/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { listCrashGroups } from '../../../telemetry/crashes/read-routes.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { type FormBody, fieldValue, formMessage, optionTags } from '../../components/form.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { postButton } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import { reportLink } from '../../reports/report-form.ts'
import { formSender, formState, projectForm } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { versionForm } from '../version-form.ts'
import { screenshotUrl } from './bugs.ts'

type Ticket = RouteData<typeof readBug>
type CrashGroup = RouteData<typeof listCrashGroups>['groups'][number]

const fixForm = (action: string, version: unknown): Html =>
  versionForm({
    action: `${action}/fixed`,
    name: 'fixed_version',
    label: t('ticket-fixed-version'),
    max_length: MAX_CLIENT_VERSION,
    value: version,
    hint: t('ticket-fixed-hint'),
    button: t('ticket-mark-fixed'),
    button_class: 'button-primary',
  })

function crashForm(action: string, { crash_group }: Ticket, groups: CrashGroup[]): Html {
  const options = groups.map(({ uid, title }) => ({ value: uid, label: title }))
  return html`
    <form class="form line-form" method="post" action="${action}/crash">
      <div class="field">
        <label for="f-crash_group_uid">${t('ticket-related-crash')}</label>
        <select id="f-crash_group_uid" name="crash_group_uid">
          <option value="">${t('ticket-no-crash')}</option>
          ${optionTags(options, crash_group?.uid)}
        </select>
      </div>
      <button class="button button-quiet">${t('ticket-save-crash')}</button>
    </form>`
}

function reporterName({ reporter }: Ticket): Html | string {
  if (reporter.user) return reporter.user.username
  const id = html`<span class="mono">${reporter.extstore_id}</span>`
  return richText('ticket-external-account', { id })
}

function versionLink(base: string, { build, client_version }: Ticket): Html | Text {
  if (!build) return client_version ?? t('ticket-unknown')
  return html`<a class="mono" href="${base}/builds/${build.build_id}">${build.version}</a>`
}

function fixedFact({ fixed_at, fixed_version, acknowledged_at }: Ticket) {
  if (!fixed_at) return null
  const text = richText('ticket-fixed-text', {
    date: dateTimeTag(fixed_at),
    has_version: fixed_version ? 'yes' : 'no',
    version: fixed_version ?? '',
    is_seen: acknowledged_at ? 'yes' : 'no',
  })
  return [t('ticket-fixed'), text] as const
}

function report({ uid, base }: ProjectContext, ticket: Ticket): Html {
  const url = screenshotUrl(uid, ticket.bug_uid)
  const image = html`
    <a href="${url}"><img class="bug-shot" src="${url}" alt="${t('ticket-screenshot')}"></a>`
  return html`
    <blockquote class="pre">${ticket.message}</blockquote>
    ${ticket.has_screenshot && image}
    ${facts([
      [t('ticket-reported-by'), reporterName(ticket)],
      [t('column-when'), dateTimeTag(ticket.created_at)],
      [t('column-version'), versionLink(base, ticket)],
      [
        t('column-system'),
        ticket.os ? platformLabel(ticket.os, ticket.arch ?? '') : t('ticket-unknown'),
      ],
      [
        t('ticket-sent-from'),
        ticket.source === 'game' ? t('ticket-from-game') : t('ticket-from-page'),
      ],
      fixedFact(ticket),
    ])}
    <p>${reportLink('bug_message', ticket.bug_uid)}</p>`
}

export async function showBug(project: ProjectContext, result: FormResult) {
  const { request, uid, base, params } = project
  const [ticket, { groups }] = await Promise.all([
    readApi(request, readBug, { params: { uid, bug_uid: params.bug! } }),
    readApi(request, listCrashGroups, { params: { uid } }),
  ])
  const { status, log } = ticket
  const state = formState(result, 'bug', {})
  const action = `${base}/bugs/${ticket.bug_uid}`
  const actions = html`
    ${status !== 'fixed' && fixForm(action, state.values.fixed_version)}
    <div class="row">
      ${status !== 'open' && postButton(t('reopen'), `${action}/open`)}
      ${status !== 'closed' && postButton(t('ticket-close'), `${action}/closed`)}
    </div>
    ${groups.length > 0 && crashForm(action, ticket, groups)}`
  return renderSection(project, 'bugs', {
    title: t('ticket'),
    heading: html`<h1>${t('ticket')} ${stateBadge(status)}</h1>`,
    overview: 'bugs',
    body: html`
      ${formMessage(state)}
      ${subsection('report', t('ticket-report'), report(project, ticket))}
      ${log && subsection('log', t('ticket-log'), html`<pre class="log" tabindex="0">${log}</pre>`)}
      ${subsection('triage', t('ticket-triage'), actions)}`,
  })
}

type TicketChange = {
  status?: 'open' | 'fixed' | 'closed'
  fixed_version?: string
  crash_group_uid?: string | null
}

const sendToTicket = formSender(({ uid, params }) => ({ uid, bug_uid: params.bug! }))

const changeForm = (path: string, done: Text, readChange: (sent: FormBody) => TicketChange) =>
  projectForm(
    `bugs/:bug/${path}`,
    `Change a bug ticket: ${path}`,
    sendToTicket(changeBug, readChange),
    {
      form: 'bug',
      show: showBug,
      done,
      back: ({ base, params }) => `${base}/bugs/${params.bug}`,
    },
  )

export const bugRoutes = [
  projectPage('bugs/:bug', 'A bug ticket', showBug),
  changeForm('fixed', t('ticket-marked-fixed'), (sent) => ({
    status: 'fixed',
    fixed_version: fieldValue(sent, 'fixed_version') || undefined,
  })),
  changeForm('open', t('ticket-reopened'), () => ({ status: 'open' })),
  changeForm('closed', t('ticket-closed'), () => ({ status: 'closed' })),
  changeForm('crash', t('ticket-crash-saved'), (sent) => ({
    crash_group_uid: fieldValue(sent, 'crash_group_uid') || null,
  })),
]
