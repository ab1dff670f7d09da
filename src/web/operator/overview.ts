import type { RouteData } from '../../core/http/route.ts'
import { DEGRADED } from '../../core/runtime/health.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import { type Text, t } from '../../core/text/text.ts'
import { OVERVIEW_DAYS } from '../../operator/console/figures.ts'
import { BOUNCE_DAYS, readOverviewRoute } from '../../operator/console/overview-routes.ts'
import { confirmStorageRoute } from '../../operator/storage/routes.ts'
import { callApi, readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { barChart, daysBack } from '../components/chart.ts'
import { type FormState, formMessage, rejectedForm } from '../components/form.ts'
import { dateTimeTag, formatBytes } from '../components/format.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { consoleSubsection, renderConsole } from './console-page.ts'
import { CONFIRM_STORAGE, cleanUpWarnings } from './storage.ts'

type Overview = RouteData<typeof readOverviewRoute>

/** Checks whose degraded state has a sentence of its own, here or on every page. */
const hasOwnSentence = new Set(['storage_cleanup', 'drill'])

/** What an operator should look at; each is a sentence that links where it is solved. */
function attentionOf(overview: Overview): Html[] {
  const { checks, dead_jobs } = overview
  const failing = Object.entries(checks).filter(
    ([name, outcome]) => outcome !== 'ok' && !(outcome === DEGRADED && hasOwnSentence.has(name)),
  )
  return [
    ...failing.map(([name, outcome]) =>
      richText(outcome === DEGRADED ? 'attention-degraded' : 'attention-failing', {
        check: html`<code>${name}</code>`,
      }),
    ),
    ...(dead_jobs > 0
      ? [richText('attention-jobs', { count: dead_jobs, link: linkTo('/operator/jobs') })]
      : []),
    ...cleanUpWarnings(overview.storage_cleanup),
    ...waitingOf(overview),
    ...warningsOf(overview, new Date()),
  ]
}

/** Decisions that somebody waits for. */
const waitingOf = ({ waiting }: Overview): Html[] => {
  const { reports, appeals, releases, publishers, orders } = waiting
  const items = [
    ['attention-reports', reports, '/operator/moderation'],
    ['attention-appeals', appeals, '/operator/moderation/appeals'],
    ['attention-releases', releases, '/operator/approvals'],
    ['attention-publishers', publishers, '/operator/approvals'],
    ['attention-orders', orders, '/operator/orders?filter=attention'],
  ] as const
  return items
    .filter(([, count]) => count > 0)
    .map(([id, count, url]) => richText(id, { count, link: linkTo(url) }))
}

const CERTIFICATE_WARNING_DAYS = 14
/** After this time without one, whoever makes backups by the command should know. */
const BACKUP_WARNING_DAYS = 7

/** Why people do not receive mails. */
function mailWarnings({ mail: { delivery, failing, error } }: Overview): Html[] {
  const settings = linkTo('/operator/settings#mail-server')
  if (delivery === 'outbox') return [richText('attention-no-mail', { link: settings })]
  if (!failing) return []
  const sentence = richText('attention-mail', {
    count: failing,
    days: BOUNCE_DAYS,
    link: linkTo('/operator/mail'),
  })
  return [html`${sentence} ${error && html`<q>${error}</q>`}`]
}

/** What will become a problem. */
function warningsOf(overview: Overview, now: Date): Html[] {
  const { mail_bounces, failed_report_deliveries, disk, certificate, update, backup } = overview
  const days = certificate
    ? Math.floor((Date.parse(certificate.expires_at) - now.getTime()) / DAY_MS)
    : Number.POSITIVE_INFINITY
  const backup_days = backup
    ? Math.floor((now.getTime() - Date.parse(backup.finished_at)) / DAY_MS)
    : 0
  const bounced = linkTo('/operator/mail?state=bounced')
  return [
    ...mailWarnings(overview),
    ...(mail_bounces > 0
      ? [richText('attention-bounces', { count: mail_bounces, days: BOUNCE_DAYS, link: bounced })]
      : []),
    ...(failed_report_deliveries > 0
      ? [
          richText('attention-deliveries', {
            count: failed_report_deliveries,
            link: linkTo('/operator/settings/reports-webhook'),
          }),
        ]
      : []),
    ...(disk.low
      ? [
          richText(disk.uploads_stopped ? 'attention-disk-uploads' : 'attention-disk', {
            free: formatBytes(disk.free_bytes),
            total: formatBytes(disk.total_bytes),
            link: linkTo('/operator#storage'),
          }),
        ]
      : []),
    ...(overview.damaged_objects > 0
      ? [
          richText('attention-damaged', {
            count: overview.damaged_objects,
            command: html`<code>npm run admin -- storage scrub</code>`,
          }),
        ]
      : []),
    ...(backup_days >= BACKUP_WARNING_DAYS
      ? [richText('attention-backup', { count: backup_days, link: linkTo('/operator#backups') })]
      : []),
    ...(days < 0 ? [html`${t('attention-certificate-ended')}`] : []),
    ...(days >= 0 && days < CERTIFICATE_WARNING_DAYS
      ? [html`${t('attention-certificate', { count: days })}`]
      : []),
    ...(update?.headings.length
      ? [
          html`
            ${t('attention-update')}
            <ul>${update.headings.map((heading) => html`<li>${heading}</li>`)}</ul>`,
        ]
      : []),
  ]
}

function attentionList(overview: Overview): Html {
  const items = attentionOf(overview)
  if (!items.length) return html`<p>${badge(t('attention-none'), 'ok', 'ok')}</p>`
  return html`
    <ul class="attention">
      ${items.map((item) => html`<li>${badge(t('attention-mark'), 'bad', 'warn')} ${item}</li>`)}
    </ul>`
}

const dayChart = (title: Text, counts: Overview['downloads']): Html => {
  const days = daysBack(OVERVIEW_DAYS, new Date())
  const by_day = new Map(counts.map(({ day, count }) => [day, count]))
  const values = days.map((day) => by_day.get(day) ?? 0)
  return barChart({
    title,
    days,
    unit: t('per-day'),
    series: [{ name: title, tone: 'a', values }],
  })
}

const storageTable = ({ storage }: Overview): Html =>
  storage.length
    ? table(
        t('console-storage'),
        [t('console-listing'), t('console-owner'), t('console-size')],
        storage.map(({ name, username, bytes }) => [
          html`<a href="/operator/listings?q=${encodeURIComponent(name)}">${name}</a>`,
          html`<a href="/operator/people?q=${username}">${username}</a>`,
          formatBytes(bytes),
        ]),
      )
    : html`<p class="soft">${t('nothing-yet')}</p>`

const diskText = ({ disk: { free_bytes, total_bytes } }: Overview): Html =>
  richText('console-disk', {
    free: formatBytes(free_bytes),
    total: formatBytes(total_bytes),
    strong: strongText,
  })

/** Backups made in another way are not known here, so their absence is not a warning. */
const backupText = ({ backup }: Overview): Html => {
  const file = html`<code>docs/backup.md</code>`
  if (!backup) return html`<p>${richText('console-backups-none', { file })}</p>`
  const { finished_at, target } = backup
  const values = { at: dateTimeTag(finished_at), target: html`<code>${target}</code>`, file }
  return html`<p>${richText('console-backups-last', values)}</p>`
}

async function renderOverview(context: Context, state?: FormState) {
  const overview = await readApi(context.request, readOverviewRoute)
  const { people, listings, decisions, sign_ups, downloads, new_listings } = overview
  const { sign_ins, play_sessions } = overview
  return renderConsole(context, '/operator', {
    body: html`
        ${state && formMessage(state)}
        ${consoleSubsection('attention', t('console-attention'), attentionList(overview))}
        <ul class="figures">
          <li>
            <a href="/operator/people">
              ${richText('console-people-count', { count: people, strong: strongText })}
            </a>
          </li>
          <li>
            <a href="/operator/listings?state=public">
              ${richText('console-listings-count', { count: listings, strong: strongText })}
            </a>
          </li>
          <li>
            <a href="/operator/moderation/decisions">
              ${richText('console-decisions-count', {
                count: decisions,
                days: OVERVIEW_DAYS,
                strong: strongText,
              })}
            </a>
          </li>
          <li>${diskText(overview)}</li>
        </ul>
        ${consoleSubsection(
          'figures',
          t('console-figures', { days: OVERVIEW_DAYS }),
          html`
            ${dayChart(t('console-downloads'), downloads)}
            ${dayChart(t('console-play-sessions'), play_sessions)}
            ${dayChart(t('console-sign-ins'), sign_ins)}
            ${dayChart(t('console-sign-ups'), sign_ups)}
            ${dayChart(t('console-new-listings'), new_listings)}`,
        )}
        ${consoleSubsection('storage', t('console-storage'), storageTable(overview))}
        ${consoleSubsection('backups', t('console-backups'), backupText(overview))}`,
  })
}

export const overviewPage = getPage('/operator', 'The console of operators', {
  auth: consoleOperator,
  handle: (input) => renderOverview(input),
})

export const confirmStorageForm = postForm(
  CONFIRM_STORAGE,
  'Confirm that the objects belong to this database',
  {
    auth: consoleOperator,
    async handle(input) {
      const { request, reply, body } = input
      const answer = await callApi(request, confirmStorageRoute)
      if (answer.ok) return redirectTo(reply, '/operator', t('storage-confirmed'))
      reply.code(answer.status)
      return renderOverview(input, rejectedForm(body, answer))
    },
  },
)
