import { type Text, t } from '../../../core/text/text.ts'
import { MAX_VERSION } from '../../../listings/fields/text.ts'
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
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
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
    label: t('crash-resolved-in'),
    max_length: MAX_VERSION,
    value: version,
    hint: t('crash-resolve-hint'),
    button: t('crash-resolve'),
    button_class: 'button-ink',
  })

const resolvedText = (version: string) => t('crash-is-resolved-in', { version })

function groupSummary(
  base: string,
  group: CrashGroup,
  sample: Crash | undefined,
  version: unknown,
) {
  const { status, resolved_in, count, first_seen, last_seen } = group
  const action = `${base}/crashes/groups/${group.uid}`
  const reopen = postButton(t('reopen'), `${action}/open`)
  const reason = sample?.analysis?.crash_reason
  return html`
    <div class="row">
      ${stateBadge(status)}
      ${resolved_in && html`<span class="soft">${resolvedText(resolved_in)}</span>`}
    </div>
    ${facts([
      [t('crash-reported'), formatCount(count, 'time')],
      [t('crash-first-seen'), dateTimeTag(first_seen)],
      [t('crash-last-seen'), dateTimeTag(last_seen)],
      reason && ([t('crash-reason'), reason] as const),
    ])}
    ${status === 'resolved' ? reopen : resolveForm(action, version)}`
}

function sampleStack(base: string, sample: Crash | undefined): Html | undefined {
  const frames = sample?.analysis?.frames
  return (
    frames &&
    subsection(
      'stack',
      t('crash-stack-title'),
      stack(frames),
      richText('crash-stack-sample', { link: linkTo(`${base}/crashes/${sample.id}`) }),
    )
  )
}

const groupBuilds = (base: string, builds: CrashGroup['builds']): Html =>
  table(
    t('crash-affected-builds'),
    [t('column-build'), t('column-system'), t('crash-reports-short')],
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
      ${subsection('what', t('crash-summary'), summary)}
      ${sampleStack(base, sample)}
      ${subsection('builds', t('crash-affected-builds'), groupBuilds(base, group.builds))}
      ${subsection('reports', t('crash-reports-short'), reportTable(base, crashes.items))}`,
  })
}

const sendToGroup = formSender(({ uid, params }) => ({ uid, group_uid: params.group! }))

const statusForm = (path: string, status: 'open' | 'resolved', done: Text) =>
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
  statusForm('resolve', 'resolved', t('crash-resolved')),
  statusForm('open', 'open', t('crash-reopened')),
]
