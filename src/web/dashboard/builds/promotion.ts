import { MAX_PROMOTION_HOURS } from '../../../builds/build-limits.ts'
import { listOwnBuilds, readOwnBuild } from '../../../builds/builds/routes.ts'
import { listChannels, promoteBuild } from '../../../builds/channels/routes.ts'
import { errors } from '../../../core/runtime/errors.ts'
import { joinTexts, listTexts, type Text, t } from '../../../core/text/text.ts'
import { FAILING } from '../../../listings/fields/launch-bands.ts'
import { type ApiRefusal, callApi, readApi } from '../../call.ts'
import { bandName } from '../../components/badge.ts'
import {
  button,
  type FormBody,
  type FormState,
  fieldValue,
  type Option,
  selectField,
  textField,
} from '../../components/form.ts'
import { platformLabel } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { projectForm } from '../project-form.ts'
import { type ProjectContext, renderSection, type ShowPage } from '../project-page.ts'
import type { Build, BuildFile } from './builds.ts'
import {
  changeList,
  type MovedChannel,
  promotedText,
  type SystemChange,
} from './channel-changes.ts'

const STABLE = 'stable'
/** Percent of the devices. */
const ALL = 100
/** Before the id of a build: all builds of its version. */
const ALL_SYSTEMS = 'all:'
const MAX_BUILDS = '100'

/** The fields of the form. The page has another form with a field `channel`. */
export const promotionNames = [
  'build_id',
  'promote_channel',
  'percent',
  'expires_in_hours',
] as const
export const promotionDefaults = { promote_channel: STABLE, percent: ALL, expires_in_hours: 0 }

const cleanFiles = ({ files }: Build): BuildFile[] => files.filter(({ scan }) => scan === 'clean')
const isFailing = ({ health }: Build) => health.band === FAILING

function buildOption(build: Build): Option {
  const { build_id, version, os, arch, app } = build
  const parts: (Text | false)[] = [
    version,
    app,
    platformLabel(os, arch),
    isFailing(build) && bandName(FAILING),
  ]
  return { value: build_id, label: joinTexts(parts, ' · ') }
}

/** The builds of each version, after a choice of all of them if they are for several systems. */
function versionOptions(builds: Build[]): Option[] {
  const [{ build_id, version, app }] = builds as [Build]
  const platforms = builds.flatMap(cleanFiles).map(({ os, arch }) => `${os} ${arch}`)
  const single = builds.map(buildOption)
  if (new Set(platforms).size < 2) return single
  const name = app ? `${version} · ${app}` : version
  const all = t('channel-promote-all', { version: name })
  return [{ value: `${ALL_SYSTEMS}${build_id}`, label: all }, ...single]
}

function buildOptions(builds: readonly Build[]): Option[] {
  const versions = Map.groupBy(builds, ({ version, app, build_type }) =>
    JSON.stringify([version, app, build_type]),
  )
  return [
    { value: '', label: t('channel-promote-choose') },
    ...[...versions.values()].flatMap(versionOptions),
  ]
}

/** The fields that choose a build, a channel and a time. */
export function promotionFields(state: FormState, builds: readonly Build[]): Html | undefined {
  const clean = builds.filter((build) => cleanFiles(build).length > 0)
  if (!clean.length) return undefined
  const build = selectField(state, {
    name: 'build_id',
    label: t('column-build'),
    required: true,
    options: buildOptions(clean),
  })
  const channel = textField(state, {
    name: 'promote_channel',
    label: t('channel'),
    required: true,
    hint: t('build-channel-hint'),
  })
  const percent = textField(state, {
    name: 'percent',
    label: t('channel-percent'),
    type: 'number',
    required: true,
    min: 1,
    max: ALL,
    hint: t('channel-percent-hint'),
  })
  const hours = textField(state, {
    name: 'expires_in_hours',
    label: t('channel-expires-after'),
    type: 'number',
    required: true,
    min: 0,
    max: MAX_PROMOTION_HOURS,
    hint: t('channel-expires-hint'),
  })
  return html`
    ${build}
    <div class="pair">${channel}${percent}</div>
    ${hours}`
}

function readPromotion(sent: FormBody) {
  const choice = fieldValue(sent, 'build_id')
  const all_platforms = choice.startsWith(ALL_SYSTEMS)
  return {
    build_id: all_platforms ? choice.slice(ALL_SYSTEMS.length) : choice,
    all_platforms,
    // As the API reads it, so that no spelling of stable goes unconfirmed.
    channel: fieldValue(sent, 'promote_channel').trim().toLowerCase(),
    percent: Number(fieldValue(sent, 'percent') || String(ALL)),
    hours: Number(fieldValue(sent, 'expires_in_hours') || 0),
  }
}
type Promotion = ReturnType<typeof readPromotion>

/** The build of each platform that the promotion is for, as `readReleases` chooses it. */
async function readReleases({ request, uid }: ProjectContext, promotion: Promotion) {
  const { build_id, all_platforms } = promotion
  const answer = await callApi(request, readOwnBuild, { params: { uid, build_id } })
  if (!answer.ok) return undefined
  const build = answer.data
  const { app, version, build_type } = build
  const query = { app, version, page_size: MAX_BUILDS }
  const others = all_platforms
    ? (await readApi(request, listOwnBuilds, { params: { uid }, query })).builds
    : []
  const releases = new Map<string, { os: string; arch: string; build: Build }>()
  for (const candidate of [build, ...others.filter((other) => other.build_type === build_type)])
    for (const { os, arch } of cleanFiles(candidate)) {
      const platform = `${os} ${arch}`
      if (!releases.has(platform)) releases.set(platform, { os, arch, build: candidate })
    }
  return { build, releases: [...releases.values()] }
}
type Releases = NonNullable<Awaited<ReturnType<typeof readReleases>>>

/** What the promotion would do on each system of the channel, and on those that it adds. */
async function readChanges(
  { request, uid }: ProjectContext,
  { channel }: Promotion,
  { build, releases }: Releases,
): Promise<SystemChange[]> {
  const { channels } = await readApi(request, listChannels, { params: { uid } })
  const heads =
    channels.find((other) => other.channel === channel && other.app === build.app)?.heads ?? []
  const promoted = releases.map(({ os, arch, build }): SystemChange => {
    const head = heads.find((other) => other.os === os && other.arch === arch)
    return {
      os,
      arch,
      from_version: head?.version ?? null,
      version: build.version,
      moves: head?.build_id !== build.build_id,
    }
  })
  const others = heads
    .filter(({ os, arch }) => !releases.some((other) => other.os === os && other.arch === arch))
    .map(({ os, arch, version }) => ({ os, arch, from_version: version, version, moves: false }))
  return [...promoted, ...others]
}

function failingNotice({ build, releases }: Releases): Html | false {
  const failing = releases.filter((release) => isFailing(release.build))
  if (!failing.length) return false
  const systems = listTexts(failing.map(({ os, arch }) => platformLabel(os, arch)))
  return html`
    <p class="notice notice-warn">
      ${t('channel-promote-failing', { version: build.version, systems })}
    </p>`
}

const hiddenField = (name: string, value: string): Html => html`
  <input type="hidden" name="${name}" value="${value}">`

/** Asks before all players get a build, and before anyone gets one that often fails to start. */
async function confirmPromotion(project: ProjectContext, sent: FormBody) {
  const promotion = readPromotion(sent)
  const { build_id, channel } = promotion
  if (!build_id || !channel || fieldValue(sent, 'confirmed')) return undefined
  const plan = await readReleases(project, promotion)
  if (!plan?.releases.length) return undefined
  const warning = failingNotice(plan)
  if (channel !== STABLE && !warning) return undefined
  const changes = await readChanges(project, promotion, plan)
  return () => showQuestion(project, sent, { changes, warning, version: plan.build.version })
}

type Question = { changes: SystemChange[]; warning: Html | false; version: string }

function showQuestion(project: ProjectContext, sent: FormBody, question: Question) {
  const { base } = project
  const { changes, warning, version } = question
  const { channel, hours, percent } = readPromotion(sent)
  const staged = html`<p>${t('channel-promote-percent', { percent })}</p>`
  const introduction = channel === STABLE ? 'channel-promote-stable' : 'channel-promote-other'
  return renderSection(project, 'builds', {
    title: t('channel-promote-question', { version, channel }),
    overview: 'builds',
    body: html`
      ${warning}
      <p>${richText(introduction, { channel, strong: strongText })}</p>
      ${percent < ALL ? staged : changeList(changes)}
      ${percent === ALL && hours > 0 && html`<p>${t('channel-promote-expires', { count: hours })}</p>`}
      <form class="form" method="post" action="${base}/channels/promote#channels">
        ${promotionNames.map((name) => hiddenField(name, fieldValue(sent, name)))}
        ${hiddenField('confirmed', 'yes')}
        <div class="row">
          ${button(t('channel-promote-confirm', { version }), { kind: 'ink' })}
          <a class="button button-quiet" href="${base}/builds#channels">${t('cancel')}</a>
        </div>
      </form>`,
  })
}

const stagedText = ({ channel }: MovedChannel, percent: number): Text =>
  percent > 0 ? t('channel-is-staged', { channel, percent }) : t('channel-is-unstaged', { channel })

function missingBuild(): ApiRefusal {
  const [code, status] = errors.MALFORMED
  const message = t('channel-build-missing')
  return { ok: false, status, code, details: {}, field: 'build_id', message }
}

async function sendPromotion({ request, uid }: ProjectContext, sent: FormBody) {
  const { build_id, all_platforms, hours, percent } = readPromotion(sent)
  if (!build_id) return missingBuild()
  const answer = await callApi(request, promoteBuild, {
    // An empty channel would address another route; the API refuses a blank one by name.
    params: { uid, channel: fieldValue(sent, 'promote_channel').trim() || ' ' },
    body: { build_id, all_platforms, percent, expires_in_hours: hours },
  })
  return answer.ok ? { ...answer, data: { moved: answer.data, build_id, percent } } : answer
}

export const promotionRoute = (show: ShowPage) =>
  projectForm('channels/promote', 'Promote a build to a channel', sendPromotion, {
    form: 'promote',
    show,
    confirm: confirmPromotion,
    done: (_, { moved, build_id, percent }) =>
      percent < ALL ? stagedText(moved, percent) : promotedText(moved, build_id),
    back: 'builds#channels',
  })
