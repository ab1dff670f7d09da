import { t } from '../../../core/text/text.ts'
import { listCrashesRoute, listCrashGroups } from '../../../telemetry/crashes/read-routes.ts'
import { postCrash } from '../../../telemetry/crashes/routes.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { formMessage } from '../../components/form.ts'
import { dateTimeTag, formatCount } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import { pager } from '../../components/pager.ts'
import { emptyState } from '../../components/table.ts'
import { formState } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { type CrashGroup, type CrashPage, reportTable, titleOf } from './crash-parts.ts'

const MAX_VERSIONS_SHOWN = 4

function groupLine(base: string, group: CrashGroup): Html {
  const { uid, status, count, last_seen, builds } = group
  const versions = [...new Set(builds.map(({ version }) => version))]
  return html`
    <li class="crash">
      <span class="crash-count">
        ${richText('crash-times', { count, strong: strongText })}
      </span>
      <div>
        <a class="crash-title mono" href="${base}/crashes/groups/${uid}">${titleOf(group)}</a>
        <p class="soft">
          ${richText('crash-versions', {
            versions: versions.slice(0, MAX_VERSIONS_SHOWN).join(', '),
            date: dateTimeTag(last_seen),
          })}
        </p>
      </div>
      ${stateBadge(status)}
    </li>`
}

function crashLists(
  base: string,
  build: string | undefined,
  groups: CrashGroup[],
  page: CrashPage,
) {
  const filtered = html`
    <p class="notice">
      <span>${richText('crash-one-build', { link: linkTo(`${base}/crashes`) })}</span>
    </p>`
  const list = html`<ul class="crashes">${groups.map((group) => groupLine(base, group))}</ul>`
  const reports = html`
    ${reportTable(base, page.items)}
    ${pager(`${base}/crashes${build ? `?build=${build}` : ''}`, page)}`
  return html`
    ${build && filtered}
    ${subsection('groups', formatCount(groups.length, 'crash'), list, t('crash-groups-text'))}
    ${subsection('reports', t('crash-newest-reports'), reports)}`
}

const noCrashes = emptyState(
  t('crash-none'),
  richText('crash-none-text', { url: html`<code>${postCrash.url}</code>` }),
)

export async function showCrashes(project: ProjectContext, result: FormResult) {
  const { request, uid, base, query } = project
  const { build } = query
  const [{ groups }, crashes] = await Promise.all([
    readApi(request, listCrashGroups, { params: { uid } }),
    readApi(request, listCrashesRoute, {
      params: { uid },
      query: { page: Number(query.page) || 1, build_id: build || undefined },
    }),
  ])
  const visible = build
    ? groups.filter(({ builds }) => builds.some(({ build_id }) => build_id === build))
    : groups
  const is_empty = visible.length === 0 && crashes.total === 0
  return renderSection(project, 'crashes', {
    title: t('section-crashes'),
    body: html`
      ${formMessage(formState(result, 'crash', {}))}
      ${is_empty ? noCrashes : crashLists(base, build, visible, crashes)}`,
  })
}

export const crashRoutes = [projectPage('crashes', 'The crashes of a project', showCrashes)]
