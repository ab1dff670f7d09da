import { listCrashesRoute, listCrashGroups } from '../../../telemetry/crashes/read-routes.ts'
import { postCrash } from '../../../telemetry/crashes/routes.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { formMessage } from '../../components/form.ts'
import { dateTimeTag, formatCount, formatNumber } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
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
        <strong>${formatNumber(count)}</strong> ${count === 1 ? 'time' : 'times'}
      </span>
      <div>
        <a class="crash-title mono" href="${base}/crashes/groups/${uid}">${titleOf(group)}</a>
        <p class="soft">
          in ${versions.slice(0, MAX_VERSIONS_SHOWN).join(', ')} · last ${dateTimeTag(last_seen)}
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
      <span>Crashes of one build. <a href="${base}/crashes">Show all builds</a></span>
    </p>`
  const list = html`<ul class="crashes">${groups.map((group) => groupLine(base, group))}</ul>`
  const reports = html`
    ${reportTable(base, page.items)}
    ${pager(`${base}/crashes${build ? `?build=${build}` : ''}`, page)}`
  return html`
    ${build && filtered}
    ${subsection(
      'groups',
      formatCount(groups.length, 'crash'),
      list,
      'Reports with the same stack are grouped as one crash.',
    )}
    ${subsection('reports', 'Newest reports', reports)}`
}

const noCrashes = emptyState(
  'No crash reports',
  html`
    Games send crash reports to <code>${postCrash.url}</code> with the IDs of the listing and the
    build. With debug symbols, their stacks show function names and lines.`,
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
    title: 'Crashes',
    body: html`
      ${formMessage(formState(result, 'crash', {}))}
      ${is_empty ? noCrashes : crashLists(base, build, visible, crashes)}`,
  })
}

export const crashRoutes = [projectPage('crashes', 'The crashes of a project', showCrashes)]
