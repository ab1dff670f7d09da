import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { crashDownload, readCrashRoute } from '../../../telemetry/crashes/read-routes.ts'
import { readApi } from '../../call.ts'
import { dateTimeTag, labelOf, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { facts, table } from '../../components/table.ts'
import { type ProjectContext, projectPage, renderSection, subsection } from '../project-page.ts'
import { type Analysis, attachmentsOf, type Crash, stack } from './crash-parts.ts'

const severityNames: Record<string, Text> = {
  fatal: t('severity-fatal'),
  error: t('severity-error'),
  warning: t('severity-warning'),
  info: t('severity-info'),
}

type Download = RouteData<typeof crashDownload>

const downloadLinks = (downloads: Download[]): Html => html`
  <p class="row">
    ${downloads.map(
      ({ url, filename }) =>
        html`<a class="button button-quiet button-small" href="${url}" download>${filename}</a>`,
    )}
    <span class="soft">${t('crash-links-expire')}</span>
  </p>`

function crashSummary(base: string, crash: Crash, downloads: Download[]): Html {
  const { user_message, build_id, version, os, arch, analysis } = crash
  const address = analysis?.crash_address
  return html`
    ${user_message && html`<blockquote>${user_message}</blockquote>`}
    ${facts([
      [t('column-when'), dateTimeTag(crash.created_at)],
      [t('column-build'), html`<a class="mono" href="${base}/builds/${build_id}">${version}</a>`],
      [t('column-system'), platformLabel(os, arch)],
      [t('crash-severity'), severityNames[crash.severity] ?? labelOf(crash.severity)],
      analysis?.crash_reason && ([t('crash-reason'), analysis.crash_reason] as const),
      address && ([t('crash-address'), html`<span class="mono">${address}</span>`] as const),
      analysis?.note && ([t('crash-note'), analysis.note] as const),
    ])}
    ${downloads.length > 0 && downloadLinks(downloads)}`
}

function crashStack({ analysis, stack_excerpt }: Crash): Html | null | undefined {
  const body = analysis?.frames
    ? stack(analysis.frames)
    : stack_excerpt && html`<pre>${stack_excerpt}</pre>`
  return body ? subsection('stack', t('crash-stack-title'), body) : undefined
}

const moduleTable = (modules: NonNullable<Analysis['modules']>): Html =>
  table(
    t('crash-modules'),
    [t('column-module'), t('crash-symbols')],
    modules.map(({ name, symbols }) => [
      html`<span class="mono">${name}</span>`,
      symbols ? t('crash-has-symbols') : t('crash-lacks-symbols'),
    ]),
  )

const metadataFacts = (metadata: Record<string, unknown>): Html =>
  facts(
    Object.entries(metadata).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

export async function showCrash(project: ProjectContext) {
  const { request, uid, base, params } = project
  const crash = await readApi(request, readCrashRoute, { params: { uid, id: params.crash! } })
  const downloads = await Promise.all(
    attachmentsOf(crash).map((kind) =>
      readApi(request, crashDownload, { params: { uid, id: crash.id }, query: { kind } }),
    ),
  )
  const { analysis, metadata } = crash
  const has_metadata = Object.keys(metadata).length > 0
  return renderSection(project, 'crashes', {
    title: t('crash-report'),
    overview: 'crashes',
    body: html`
      ${subsection('about', t('crash-summary'), crashSummary(base, crash, downloads))}
      ${crashStack(crash)}
      ${analysis?.modules && subsection('modules', t('crash-modules'), moduleTable(analysis.modules))}
      ${has_metadata && subsection('metadata', t('crash-metadata'), metadataFacts(metadata))}`,
  })
}

export const crashReportRoutes = [projectPage('crashes/:crash', 'A crash report', showCrash)]
