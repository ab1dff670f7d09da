import type { RouteData } from '../../../core/http/route.ts'
import { listTexts, type Text, t } from '../../../core/text/text.ts'
import type {
  listCrashesRoute,
  listCrashGroups,
  readCrashRoute,
} from '../../../telemetry/crashes/read-routes.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { table } from '../../components/table.ts'

export type CrashGroup = RouteData<typeof listCrashGroups>['groups'][number]
export type CrashPage = RouteData<typeof listCrashesRoute>
type CrashSummary = CrashPage['items'][number]
export type Crash = RouteData<typeof readCrashRoute>
export type Analysis = NonNullable<Crash['analysis']>
type Frame = NonNullable<Analysis['frames']>[number]

const attachmentKinds = ['dump', 'log', 'stack'] as const
export const attachmentsOf = (crash: Pick<Crash, `has_${(typeof attachmentKinds)[number]}`>) =>
  attachmentKinds.filter((kind) => crash[`has_${kind}`])

/** What a crash report comes with. */
const attachmentNames = {
  dump: t('crash-dump'),
  log: t('crash-log'),
  stack: t('crash-stack'),
} as const

export const titleOf = ({ title }: CrashGroup): Text => title || t('crash-untitled')

function attachmentList(crash: CrashSummary): Text {
  const names = attachmentsOf(crash).map((kind) => attachmentNames[kind])
  return names.length ? listTexts(names, 'unit') : t('crash-no-attachments')
}

function reportRow(base: string, crash: CrashSummary) {
  const { id, created_at, version, os, arch, user_message } = crash
  return [
    html`<a href="${base}/crashes/${id}">${dateTimeTag(created_at)}</a>`,
    html`
      <span class="mono">${version}</span>
      <small class="soft">${platformLabel(os, arch)}</small>`,
    user_message || '–',
    attachmentList(crash),
  ]
}

export const reportTable = (base: string, crashes: CrashSummary[]): Html =>
  table(
    t('crash-reports'),
    [t('column-when'), t('column-build'), t('crash-player-message'), t('crash-attachments')],
    crashes.map((crash) => reportRow(base, crash)),
  )

/** A frame of the stack; one without symbols or found by scanning the stack is marked. */
function frameLine({ module, offset, function: name, file, line, trust }: Frame): Html {
  const source = html`<small class="soft mono">${file}${line && `:${line}`}</small>`
  return html`
    <li class="trust-${trust}">
      <span class="mono">${name ?? `${module}+${offset}`}</span>
      ${file && source}
      ${!name && html`<small class="soft">${t('crash-no-symbols')}</small>`}
      ${trust === 'scan' && html`<small class="soft">${t('crash-uncertain')}</small>`}
    </li>`
}

export const stack = (frames: Frame[]): Html =>
  html`<ol class="stack">${frames.map(frameLine)}</ol>`
