import type { RouteData } from '../../../core/http/route.ts'
import {
  changeCrashGroup,
  crashDownload,
  listCrashesRoute,
  listCrashGroups,
  readCrashRoute,
} from '../../../telemetry/crashes/read-routes.ts'
import { postCrash } from '../../../telemetry/crashes/routes.ts'
import { callApi, readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { fieldValue, formMessage } from '../../components/form.ts'
import { dateTimeTag, formatCount, formatNumber, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pager } from '../../components/pager.ts'
import { postButton } from '../../components/secret-field.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import {
  type FormResult,
  formState,
  type ProjectContext,
  projectForm,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'

type Group = RouteData<typeof listCrashGroups>['groups'][number]
type CrashPage = RouteData<typeof listCrashesRoute>
type CrashSummary = CrashPage['items'][number]
type Crash = RouteData<typeof readCrashRoute>
type Analysis = NonNullable<Crash['analysis']>
type Frame = NonNullable<Analysis['frames']>[number]

const MAX_VERSIONS_SHOWN = 4
const UNTITLED = 'Untitled crash'
const attachments = ['dump', 'log', 'stack'] as const

function groupLine(base: string, group: Group): Html {
  const { uid, title, status, count, last_seen, builds } = group
  const versions = [...new Set(builds.map(({ version }) => version))]
  return html`
    <li class="crash">
      <span class="crash-count">
        <strong>${formatNumber(count)}</strong> ${count === 1 ? 'time' : 'times'}
      </span>
      <div>
        <a class="crash-title mono" href="${base}/crashes/groups/${uid}">${title || UNTITLED}</a>
        <p class="soft">
          in ${versions.slice(0, MAX_VERSIONS_SHOWN).join(', ')} · last ${dateTimeTag(last_seen)}
        </p>
      </div>
      ${stateBadge(status)}
    </li>`
}

function crashLists(base: string, build: string | undefined, groups: Group[], page: CrashPage) {
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
      formatCount(groups.length, 'crash', 'crashes'),
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
      <h1>Crashes</h1>
      ${formMessage(formState(result, 'crash', {}))}
      ${is_empty ? noCrashes : crashLists(base, build, visible, crashes)}`,
  })
}

function reportRow(base: string, crash: CrashSummary) {
  const { id, created_at, version, os, arch, user_message } = crash
  const attached = attachments.filter((kind) => crash[`has_${kind}`])
  return [
    html`<a href="${base}/crashes/${id}">${dateTimeTag(created_at)}</a>`,
    html`
      <span class="mono">${version}</span>
      <small class="soft">${platformLabel(os, arch)}</small>`,
    user_message || '–',
    attached.join(', ') || 'none',
  ]
}

const reportTable = (base: string, crashes: CrashSummary[]): Html =>
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

const stack = (frames: Frame[]): Html => html`<ol class="stack">${frames.map(frameLine)}</ol>`

const resolveForm = (action: string, version: unknown): Html => html`
  <form class="form line-form" method="post" action="${action}/resolve">
    <div class="field">
      <label for="f-version">
        Resolved in version <span class="optional">optional</span>
      </label>
      <input id="f-version" name="version" maxlength="32" value="${String(version ?? '')}">
      <p class="hint">The crash is reopened if a later build reports it again.</p>
    </div>
    <button class="button button-ink">Resolve</button>
  </form>`

function groupSummary(base: string, group: Group, sample: Crash | undefined, version: unknown) {
  const { status, resolved_in, count, first_seen, last_seen } = group
  const action = `${base}/crashes/groups/${group.uid}`
  const reopen = postButton('Reopen', `${action}/open`)
  const reason = sample?.analysis?.crash_reason
  return html`
    <div class="row">
      ${stateBadge(status)}
      ${resolved_in && html`<span class="soft">resolved in ${resolved_in}</span>`}
    </div>
    ${facts([
      ['Reported', formatCount(count, 'time')],
      ['First seen', dateTimeTag(first_seen)],
      ['Last seen', dateTimeTag(last_seen)],
      reason && (['Reason', reason] as const),
    ])}
    ${status === 'resolved' ? reopen : resolveForm(action, version)}`
}

function sampleStack(base: string, sample: Crash | undefined): Html | undefined {
  const frames = sample?.analysis?.frames
  return (
    frames &&
    subsection(
      'stack',
      'Stack',
      stack(frames),
      html`From <a href="${base}/crashes/${sample.id}">a sample report</a>.`,
    )
  )
}

const groupBuilds = (base: string, builds: Group['builds']): Html =>
  table(
    'Affected builds',
    ['Build', 'System', 'Reports'],
    builds.map(({ build_id, version, os, count }) => [
      html`<a class="mono" href="${base}/builds/${build_id}">${version}</a>`,
      platformLabel(os),
      count,
    ]),
  )

export async function showGroup(project: ProjectContext, result: FormResult) {
  const { request, uid, base, params } = project
  const { groups } = await readApi(request, listCrashGroups, { params: { uid } })
  const group = groups.find((candidate) => candidate.uid === params.group)
  if (!group) return showCrashes({ ...project, reply: project.reply.code(404) }, result)
  const sample_id = group.sample_crash_id
  const [crashes, sample] = await Promise.all([
    readApi(request, listCrashesRoute, { params: { uid }, query: { group_uid: group.uid } }),
    sample_id ? readApi(request, readCrashRoute, { params: { uid, id: sample_id } }) : undefined,
  ])
  const state = formState(result, 'crash', {})
  const summary = groupSummary(base, group, sample, state.values.version)
  return renderSection(project, 'crashes', {
    title: group.title || UNTITLED,
    body: html`
      <p class="eyebrow"><a href="${base}/crashes">Crashes</a></p>
      <h1 class="mono-title">${group.title || UNTITLED}</h1>
      ${formMessage(state)}
      ${subsection('what', 'Summary', summary)}
      ${sampleStack(base, sample)}
      ${subsection('builds', 'Affected builds', groupBuilds(base, group.builds))}
      ${subsection('reports', 'Reports', reportTable(base, crashes.items))}`,
  })
}

type Download = RouteData<typeof crashDownload>

const downloadLinks = (downloads: Download[]): Html => html`
  <p class="row">
    ${downloads.map(
      ({ url, filename }) =>
        html`<a class="button button-quiet button-small" href="${url}" download>${filename}</a>`,
    )}
    <span class="soft">These links work for one hour.</span>
  </p>`

function crashSummary(base: string, crash: Crash, downloads: Download[]): Html {
  const { user_message, build_id, version, os, arch, analysis } = crash
  const address = analysis?.crash_address
  return html`
    ${user_message && html`<blockquote>${user_message}</blockquote>`}
    ${facts([
      ['When', dateTimeTag(crash.created_at)],
      ['Build', html`<a class="mono" href="${base}/builds/${build_id}">${version}</a>`],
      ['System', platformLabel(os, arch)],
      analysis?.crash_reason && (['Reason', analysis.crash_reason] as const),
      address && (['Address', html`<span class="mono">${address}</span>`] as const),
      analysis?.note && (['Note', analysis.note] as const),
    ])}
    ${downloads.length > 0 && downloadLinks(downloads)}`
}

function crashStack({ analysis, stack_excerpt }: Crash): Html | null | undefined {
  const body = analysis?.frames
    ? stack(analysis.frames)
    : stack_excerpt && html`<pre>${stack_excerpt}</pre>`
  return body ? subsection('stack', 'Stack', body) : undefined
}

const moduleTable = (modules: NonNullable<Analysis['modules']>): Html =>
  table(
    'Modules',
    ['Module', 'Symbols'],
    modules.map(({ name, symbols }) => [
      html`<span class="mono">${name}</span>`,
      symbols ? 'yes' : 'no',
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
  const kinds = attachments.filter((kind) => crash[`has_${kind}`])
  const downloads = await Promise.all(
    kinds.map((kind) =>
      readApi(request, crashDownload, { params: { uid, id: crash.id }, query: { kind } }),
    ),
  )
  const { analysis, metadata } = crash
  const has_metadata = Object.keys(metadata).length > 0
  return renderSection(project, 'crashes', {
    title: 'Crash report',
    body: html`
      <p class="eyebrow"><a href="${base}/crashes">Crashes</a></p>
      <h1>Crash report</h1>
      ${subsection('about', 'Summary', crashSummary(base, crash, downloads))}
      ${crashStack(crash)}
      ${analysis?.modules && subsection('modules', 'Modules', moduleTable(analysis.modules))}
      ${has_metadata && subsection('metadata', 'Metadata', metadataFacts(metadata))}`,
  })
}

const statusForm = (path: string, status: 'open' | 'resolved', done: string) =>
  projectForm(`crashes/groups/:group/${path}`, `Mark a crash as ${status}`, {
    form: 'crash',
    show: showGroup,
    send: ({ request, uid, params }, sent) =>
      callApi(request, changeCrashGroup, {
        params: { uid, group_uid: params.group! },
        body: { status, version: fieldValue(sent, 'version') || undefined },
      }),
    done,
    back: ({ base, params }) => `${base}/crashes/groups/${params.group}`,
  })

export const crashRoutes = [
  projectPage('crashes', 'The crashes of a project', showCrashes),
  projectPage('crashes/:crash', 'A crash report', showCrash),
  projectPage('crashes/groups/:group', 'A crash', showGroup),
  statusForm('resolve', 'resolved', 'Crash resolved'),
  statusForm('open', 'open', 'Crash reopened'),
]
