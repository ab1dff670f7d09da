import { readBugScreenshot } from '../../../bugs/reports/screenshot-routes.ts'
import { listBugs } from '../../../bugs/tickets/routes.ts'
import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { joinTexts, t } from '../../../core/text/text.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
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
  const player = reporter.user?.username ?? t('ticket-external-player')
  const version = build?.version ?? client_version ?? t('ticket-unknown-version')
  const origin = os ? t('ticket-version-on', { version, system: platformLabel(os) }) : version
  return html`
    <li class="bug">
      ${ticket.has_screenshot && image}
      <div>
        <a class="bug-title" href="${base}/bugs/${bug_uid}">${titleOf(ticket.message)}</a>
        <p class="soft">
          ${joinTexts([player, origin], ' · ')} ·
          ${dateTimeTag(ticket.created_at)}${ticket.has_log && html` · ${t('ticket-with-log')}`}
        </p>
      </div>
      ${stateBadge(ticket.status)}
    </li>`
}

const statuses = ['open', 'fixed', 'closed'] as const
type Status = (typeof statuses)[number]
const statusTexts = {
  open: { tab: t('tickets-open'), none: t('tickets-none-open') },
  fixed: { tab: t('tickets-fixed'), none: t('tickets-none-fixed') },
  closed: { tab: t('tickets-closed'), none: t('tickets-none-closed') },
} as const

function statusTabs(base: string, current: Status, counts: Tickets['counts']): Html {
  const tab = (status: Status) => {
    const is_current = status === current && html` aria-current="true"`
    return html`
      <a href="${base}/bugs?status=${status}"${is_current}>
        ${statusTexts[status].tab} <span class="mono">${counts[status]}</span>
      </a>`
  }
  return html`<nav class="tabs" aria-label="${t('tickets-by-status')}">${statuses.map(tab)}</nav>`
}

function ticketList(project: ProjectContext, status: Status, tickets: Tickets): Html {
  const { base } = project
  const { items, counts } = tickets
  if (counts.open + counts.fixed + counts.closed === 0)
    return emptyState(t('tickets-none'), t('tickets-none-text'))
  return html`
    ${statusTabs(base, status, counts)}
    ${
      items.length
        ? html`<ul class="bugs">${items.map((ticket) => ticketLine(project, ticket))}</ul>`
        : html`<p class="soft">${statusTexts[status].none}</p>`
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
    title: t('section-bugs'),
    body: html`
      ${subsection('tickets', t('tickets'), ticketList(project, status, tickets))}
      ${await reporterSubsections(project, result)}`,
  })
}

export const bugsRoutes = [
  projectPage('bugs', 'The bug tickets of a project', showBugs),
  ...reporterRoutes(showBugs),
]
