import { MAX_CLIENT_VERSION } from '../../../bugs/reports/report-fields.ts'
import { changeBug, readBug } from '../../../bugs/tickets/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { listCrashGroups } from '../../../telemetry/crashes/read-routes.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { type FormBody, fieldValue, formMessage, optionTags } from '../../components/form.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { postButton } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
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
    label: 'Fixed in version',
    max_length: MAX_CLIENT_VERSION,
    value: version,
    hint: 'The player who reported it is notified.',
    button: 'Mark as fixed',
    button_class: 'button-primary',
  })

function crashForm(action: string, { crash_group }: Ticket, groups: CrashGroup[]): Html {
  const options = groups.map(({ uid, title }) => ({ value: uid, label: title }))
  return html`
    <form class="form line-form" method="post" action="${action}/crash">
      <div class="field">
        <label for="f-crash_group_uid">Related crash</label>
        <select id="f-crash_group_uid" name="crash_group_uid">
          <option value="">None</option>
          ${optionTags(options, crash_group?.uid)}
        </select>
      </div>
      <button class="button button-quiet">Save</button>
    </form>`
}

function reporterName({ reporter }: Ticket): Html | string {
  if (reporter.user) return reporter.user.username
  return html`external account <span class="mono">${reporter.extstore_id}</span>`
}

function versionLink(base: string, { build, client_version }: Ticket): Html | string {
  if (!build) return client_version ?? 'unknown'
  return html`<a class="mono" href="${base}/builds/${build.build_id}">${build.version}</a>`
}

function fixedFact({ fixed_at, fixed_version, acknowledged_at }: Ticket) {
  if (!fixed_at) return null
  const version = fixed_version && ` in ${fixed_version}`
  const read = acknowledged_at ? 'seen by the player' : 'not yet seen by the player'
  return ['Fixed', html`${dateTimeTag(fixed_at)}${version}, ${read}`] as const
}

function report({ uid, base }: ProjectContext, ticket: Ticket): Html {
  const url = screenshotUrl(uid, ticket.bug_uid)
  const image = html`
    <a href="${url}"><img class="bug-shot" src="${url}" alt="Screenshot sent with the report"></a>`
  return html`
    <blockquote class="pre">${ticket.message}</blockquote>
    ${ticket.has_screenshot && image}
    ${facts([
      ['Reported by', reporterName(ticket)],
      ['When', dateTimeTag(ticket.created_at)],
      ['Version', versionLink(base, ticket)],
      ['System', ticket.os ? platformLabel(ticket.os, ticket.arch ?? '') : 'unknown'],
      ['Sent from', ticket.source === 'game' ? 'inside the game' : 'the store page'],
      fixedFact(ticket),
    ])}`
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
      ${status !== 'open' && postButton('Reopen', `${action}/open`)}
      ${status !== 'closed' && postButton('Close without notice', `${action}/closed`)}
    </div>
    ${groups.length > 0 && crashForm(action, ticket, groups)}`
  return renderSection(project, 'bugs', {
    title: 'Bug ticket',
    heading: html`<h1>Bug ticket ${stateBadge(status)}</h1>`,
    overview: 'bugs',
    body: html`
      ${formMessage(state)}
      ${subsection('report', 'Report', report(project, ticket))}
      ${log && subsection('log', 'Log', html`<pre class="log" tabindex="0">${log}</pre>`)}
      ${subsection('triage', 'Triage', actions)}`,
  })
}

type TicketChange = {
  status?: 'open' | 'fixed' | 'closed'
  fixed_version?: string
  crash_group_uid?: string | null
}

const sendToTicket = formSender(({ uid, params }) => ({ uid, bug_uid: params.bug! }))

const changeForm = (path: string, done: string, readChange: (sent: FormBody) => TicketChange) =>
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
  changeForm('fixed', 'Marked as fixed', (sent) => ({
    status: 'fixed',
    fixed_version: fieldValue(sent, 'fixed_version') || undefined,
  })),
  changeForm('open', 'Ticket reopened', () => ({ status: 'open' })),
  changeForm('closed', 'Ticket closed', () => ({ status: 'closed' })),
  changeForm('crash', 'Related crash saved', (sent) => ({
    crash_group_uid: fieldValue(sent, 'crash_group_uid') || null,
  })),
]
