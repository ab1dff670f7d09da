import type { RouteData } from '../../../core/http/route.ts'
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

export const titleOf = ({ title }: CrashGroup) => title || 'Untitled crash'

function reportRow(base: string, crash: CrashSummary) {
  const { id, created_at, version, os, arch, user_message } = crash
  return [
    html`<a href="${base}/crashes/${id}">${dateTimeTag(created_at)}</a>`,
    html`
      <span class="mono">${version}</span>
      <small class="soft">${platformLabel(os, arch)}</small>`,
    user_message || '–',
    attachmentsOf(crash).join(', ') || 'none',
  ]
}

export const reportTable = (base: string, crashes: CrashSummary[]): Html =>
  table(
    'Crash reports',
    ['When', 'Build', 'Player message', 'Attachments'],
    crashes.map((crash) => reportRow(base, crash)),
  )

/** A frame of the stack; one without symbols or found by scanning the stack is marked. */
function frameLine({ module, offset, function: name, file, line, trust }: Frame): Html {
  const source = html`<small class="soft mono">${file}${line && `:${line}`}</small>`
  return html`
    <li class="trust-${trust}">
      <span class="mono">${name ?? `${module}+${offset}`}</span>
      ${file && source}
      ${!name && html`<small class="soft">no symbols</small>`}
      ${trust === 'scan' && html`<small class="soft">uncertain</small>`}
    </li>`
}

export const stack = (frames: Frame[]): Html =>
  html`<ol class="stack">${frames.map(frameLine)}</ol>`
