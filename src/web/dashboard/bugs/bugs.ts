import { read } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { pager } from '../../components/pager.ts'
import { emptyState } from '../../components/table.ts'
import { type Desk, deskPage, type Filled, roomPage, section } from '../project-page.ts'
import { reporterParts, reporterRoutes } from './bug-reporter.ts'

export type Ticket = {
  bug_uid: string
  status: string
  source: string
  message: string
  client_version: string | null
  os: string | null
  arch: string | null
  build: { build_id: string; version: string; os: string; arch: string; channel: string } | null
  crash_group: { uid: string; title: string; status: string } | null
  has_log: boolean
  has_screenshot: boolean
  reporter: { user: { uid: string; username: string } | null; extstore_id: string | null }
  fixed_version: string | null
  fixed_at: string | null
  acknowledged_at: string | null
  created_at: string
}
type Tickets = {
  items: Ticket[]
  counts: Record<'open' | 'fixed' | 'closed', number>
  page: number
  page_size: number
  total: number
}

const firstLine = (text: string) => {
  const [line = ''] = text.split('\n')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

const ticket = ({ api, base }: Desk, one: Ticket) =>
  html`<li class="bug">${one.has_screenshot && html`<img src="${api}/bugs/${one.bug_uid}/screenshot" alt="" width="128" height="72" loading="lazy">`}<div><a class="bug-title" href="${base}/bugs/${one.bug_uid}">${firstLine(one.message)}</a>
<p class="soft">${one.reporter.user?.username ?? 'a player of the external store'} · ${one.build?.version ?? one.client_version ?? 'no version'}${one.os && ` on ${platformLabel(one.os)}`} · ${dateTimeTag(one.created_at)}${one.has_log && ' · with a log'}</p></div>${stateBadge(one.status)}</li>`

const filters = ['open', 'fixed', 'closed'] as const

export async function showBugs(desk: Desk, filled: Filled) {
  const { request, api, base, query } = desk
  const status = filters.find((one) => one === query.status) ?? 'open'
  const tickets = await read<Tickets>(
    request,
    `${api}/bugs?status=${status}&page=${Number(query.page) || 1}`,
  )
  const total = tickets.counts.open + tickets.counts.fixed + tickets.counts.closed
  return roomPage(desk, 'bugs', {
    title: 'Bugs',
    body: html`<h1>Bugs</h1>${section(
      'tickets',
      'Tickets',
      total
        ? html`<nav class="tabs" aria-label="Tickets by state">${filters.map((one) => html`<a href="${base}/bugs?status=${one}"${one === status && html` aria-current="true"`}>${one} <span class="mono">${tickets.counts[one]}</span></a>`)}</nav>
${tickets.items.length ? html`<ul class="bugs">${tickets.items.map((one) => ticket(desk, one))}</ul>` : html`<p class="soft">None here.</p>`}${pager(`${base}/bugs?status=${status}`, tickets)}`
        : emptyState(
            'No tickets',
            'Players report from your page once they have a copy, and from inside the game once the reporter below is on.',
          ),
    )}${await reporterParts(desk, filled)}`,
  })
}

export const bugsRoutes = [
  deskPage('bugs', 'The bug tickets of a project', showBugs),
  ...reporterRoutes(showBugs),
]
