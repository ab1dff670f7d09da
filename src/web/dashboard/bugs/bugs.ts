import { readBugScreenshot } from '../../../bugs/reports/screenshot-routes.ts'
import { listBugs } from '../../../bugs/tickets/routes.ts'
import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { dateTimeTag, labelOf, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pager } from '../../components/pager.ts'
import { emptyState } from '../../components/table.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { reporterRoutes, reporterSubsections } from './bug-reporter.ts'

type Tickets = RouteData<typeof listBugs>
type Ticket = Tickets['items'][number]

const MAX_TITLE = 120
const titleOf = (message: string) => {
  const [line = ''] = message.split('\n')
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line
}

export const screenshotUrl = (uid: string, bug_uid: string) =>
  routePath(readBugScreenshot.url, { uid, bug_uid })

function ticketLine({ uid, base }: ProjectContext, ticket: Ticket): Html {
  const { bug_uid, reporter, build, client_version, os } = ticket
  const screenshot = screenshotUrl(uid, bug_uid)
  const image = html`<img src="${screenshot}" alt="" width="128" height="72" loading="lazy">`
  const player = reporter.user?.username ?? 'a player of the external store'
  const version = build?.version ?? client_version ?? 'unknown version'
  return html`
    <li class="bug">
      ${ticket.has_screenshot && image}
      <div>
        <a class="bug-title" href="${base}/bugs/${bug_uid}">${titleOf(ticket.message)}</a>
        <p class="soft">
          ${player} · ${version}${os && ` on ${platformLabel(os)}`} ·
          ${dateTimeTag(ticket.created_at)}${ticket.has_log && ' · with log'}
        </p>
      </div>
      ${stateBadge(ticket.status)}
    </li>`
}

const statuses = ['open', 'fixed', 'closed'] as const
type Status = (typeof statuses)[number]

function statusTabs(base: string, current: Status, counts: Tickets['counts']): Html {
  const tab = (status: Status) => {
    const is_current = status === current && html` aria-current="true"`
    return html`
      <a href="${base}/bugs?status=${status}"${is_current}>
        ${labelOf(status)} <span class="mono">${counts[status]}</span>
      </a>`
  }
  return html`<nav class="tabs" aria-label="Tickets by status">${statuses.map(tab)}</nav>`
}

function ticketList(project: ProjectContext, status: Status, tickets: Tickets): Html {
  const { base } = project
  const { items, counts } = tickets
  if (counts.open + counts.fixed + counts.closed === 0)
    return emptyState(
      'No tickets yet',
      'Players who own a copy can report bugs from your page. With the reporter below turned on, ' +
        'they can also report from inside the game.',
    )
  return html`
    ${statusTabs(base, status, counts)}
    ${
      items.length
        ? html`<ul class="bugs">${items.map((ticket) => ticketLine(project, ticket))}</ul>`
        : html`<p class="soft">No ${status} tickets.</p>`
    }
    ${pager(`${base}/bugs?status=${status}`, tickets)}`
}

export async function showBugs(project: ProjectContext, result: FormResult) {
  const { request, uid, query } = project
  const status = statuses.find((name) => name === query.status) ?? 'open'
  const tickets = await readApi(request, listBugs, {
    params: { uid },
    query: { status, page: Number(query.page) || 1 },
  })
  return renderSection(project, 'bugs', {
    title: 'Bugs',
    body: html`
      ${subsection('tickets', 'Tickets', ticketList(project, status, tickets))}
      ${await reporterSubsections(project, result)}`,
  })
}

export const bugsRoutes = [
  projectPage('bugs', 'The bug tickets of a project', showBugs),
  ...reporterRoutes(showBugs),
]
