import { MAX_VERSION } from '../../../listings/fields/versions.ts'
import {
  changeCrashGroup,
  listCrashesRoute,
  listCrashGroups,
  readCrashRoute,
} from '../../../telemetry/crashes/read-routes.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { fieldValue, formMessage } from '../../components/form.ts'
import { dateTimeTag, formatCount, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { postButton } from '../../components/secret-field.ts'
import { facts, table } from '../../components/table.ts'
import { formSender, formState, projectForm } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { versionForm } from '../version-form.ts'
import { type Crash, type CrashGroup, reportTable, stack, titleOf } from './crash-parts.ts'
import { showCrashes } from './crashes.ts'

const resolveForm = (action: string, version: unknown): Html =>
  versionForm({
    action: `${action}/resolve`,
    name: 'version',
    label: 'Resolved in version',
    max_length: MAX_VERSION,
    value: version,
    hint: 'The crash is reopened if a later build reports it again.',
    button: 'Resolve',
    button_class: 'button-ink',
  })

function groupSummary(
  base: string,
  group: CrashGroup,
  sample: Crash | undefined,
  version: unknown,
) {
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

const groupBuilds = (base: string, builds: CrashGroup['builds']): Html =>
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
    title: titleOf(group),
    heading: html`<h1 class="mono-title">${titleOf(group)}</h1>`,
    overview: 'crashes',
    body: html`
      ${formMessage(state)}
      ${subsection('what', 'Summary', summary)}
      ${sampleStack(base, sample)}
      ${subsection('builds', 'Affected builds', groupBuilds(base, group.builds))}
      ${subsection('reports', 'Reports', reportTable(base, crashes.items))}`,
  })
}

const sendToGroup = formSender(({ uid, params }) => ({ uid, group_uid: params.group! }))

const statusForm = (path: string, status: 'open' | 'resolved', done: string) =>
  projectForm(
    `crashes/groups/:group/${path}`,
    `Mark a crash as ${status}`,
    sendToGroup(changeCrashGroup, (sent) => ({
      status,
      version: fieldValue(sent, 'version') || undefined,
    })),
    {
      form: 'crash',
      show: showGroup,
      done,
      back: ({ base, params }) => `${base}/crashes/groups/${params.group}`,
    },
  )

export const crashGroupRoutes = [
  projectPage('crashes/groups/:group', 'A crash', showGroup),
  statusForm('resolve', 'resolved', 'Crash resolved'),
  statusForm('open', 'open', 'Crash reopened'),
]
