import { MAX_TITLE } from '../../../builds/build-limits.ts'
import { listOwnBuilds, registerOwnBuild } from '../../../builds/builds/routes.ts'
import { listChannels } from '../../../builds/channels/routes.ts'
import { uploadLimits } from '../../../builds/upload-limits.ts'
import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { joinTexts, t } from '../../../core/text/text.ts'
import { UNRATED } from '../../../listings/fields/launch-bands.ts'
import {
  architectures,
  type OperatingSystem,
  operatingSystems,
  usualArchitectures,
} from '../../../listings/fields/platforms.ts'
import { MAX_VERSION } from '../../../listings/fields/text.ts'
import { openUploadSessionOnWebsite, uploadFileOnWebsite } from '../../../uploads/routes.ts'
import { CONFIRM_PAGE } from '../../account/security/paths.ts'
import { readApi } from '../../call.ts'
import { badge, healthBadge, scanBadge } from '../../components/badge.ts'
import {
  type FormBody,
  type FormState,
  fieldLines,
  fieldValue,
  formMessage,
  type Option,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { dateTag, formatBytes, formatCount, platformLabel } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import { pager } from '../../components/pager.ts'
import { scriptTexts } from '../../components/script-texts.ts'
import { emptyState } from '../../components/table.ts'
import { withNext } from '../../next-path.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { type Channel, channelsSubsection } from './channels.ts'

type Builds = RouteData<typeof listOwnBuilds>
export type Build = Builds['builds'][number]
export type BuildFile = Build['files'][number]

const registerFields = [
  'version',
  'os',
  'arch',
  'channel',
  'title',
  'engine_version',
  'coep',
] as const
const osOptions = operatingSystems.map((value) => ({ value, label: platformLabel(value) }))
/** The processor that most builds for the chosen system are made for. */
const USUAL_ARCH = 'usual'
const archOptions = [
  { value: USUAL_ARCH, label: t('processor-usual') },
  ...architectures.map((value) => ({ value, label: value })),
  { value: '', label: t('processor-none') },
]
const defaults = { channel: 'stable', os: 'windows', arch: USUAL_ARCH }

function registerInputs(state: FormState): Html {
  const version = textField(state, {
    name: 'version',
    label: t('column-version'),
    required: true,
    maxlength: MAX_VERSION,
    placeholder: '1.0.0',
  })
  const channel = textField(state, {
    name: 'channel',
    label: t('channel'),
    required: true,
    hint: t('build-channel-hint'),
  })
  const os = selectField(state, {
    name: 'os',
    label: t('column-system'),
    required: true,
    options: osOptions,
  })
  const arch = selectField(state, {
    name: 'arch',
    label: t('build-processor'),
    required: true,
    options: archOptions,
  })
  return html`
    <div class="pair">${version}${channel}</div>
    <div class="pair">${os}${arch}</div>`
}

export const isolationOptions: readonly Option[] = [
  { value: 'on', label: t('build-isolation-on') },
  { value: 'off', label: t('build-isolation-off') },
]
/** A build that was registered before keeps what it has. */
const registeredOptions = [{ value: '', label: t('build-isolation-default') }, ...isolationOptions]

/** Whether a build for browsers gets threads. */
export const isolationField = (state: FormState, options: readonly Option[]): Html =>
  selectField(state, {
    name: 'coep',
    label: t('build-isolation'),
    hint: t('build-isolation-hint'),
    options,
  })

function optionalInputs(state: FormState): Html {
  const title = textField(state, { name: 'title', label: t('build-title'), maxlength: MAX_TITLE })
  const changelog = textArea(state, {
    name: 'changelog',
    label: t('build-changelog'),
    rows: 4,
    hint: t('build-changelog-hint'),
  })
  const engine = textField(state, {
    name: 'engine_version',
    label: t('build-engine'),
    hint: t('build-engine-hint'),
  })
  return html`
    <details class="more">
      <summary>${t('build-more-fields')}</summary>
      <div class="form">${title}${changelog}${engine}${isolationField(state, registeredOptions)}</div>
    </details>`
}

/** Opens beside the form, so that the chosen file and what was typed stay. */
const confirmLink = (base: string) => (text: Html) =>
  html`
  <a href="${withNext(CONFIRM_PAGE, `${base}/builds`)}" target="_blank">${text}</a>`

/** The controls that upload-build.mjs shows. */
const uploadInputs = (base: string): Html => html`
  <div class="field upload-file" hidden>
    <label for="build-file">${t('build-zip')}</label>
    <input id="build-file" type="file" accept=".zip,application/zip">
    <p class="hint">
      ${t('upload-file-hint', { size: formatBytes(uploadLimits.max_file_bytes) })}
    </p>
  </div>
  <div class="upload-row" hidden>
    <p class="upload-name"></p>
    <progress max="1" value="0" aria-label="${t('build-upload')}"></progress>
    <p class="upload-state" role="status"></p>
  </div>
  <p class="error-text upload-error" role="alert" hidden></p>
  <p class="notice notice-warn upload-confirm" role="alert" hidden>
    ${richText('upload-confirm', { link: confirmLink(base) })}
  </p>
  <div class="notice notice-warn upload-collisions" role="alert" hidden>
    <ul></ul>
    <p><a>${t('upload-open-build')}</a></p>
  </div>
  <div class="row">
    <button class="button button-primary">
      <span class="upload-idle">${t('build-register')}</span>
    </button>
    <button type="button" class="button button-quiet upload-stop" hidden>
      ${t('upload-pause')}
    </button>
  </div>
  <noscript>
    <p class="hint">
      ${richText('upload-without-script', {
        link: (text) => html`<a href="/cli/slipway.mjs" download>${text}</a>`,
      })}
    </p>
  </noscript>`

/** An interrupted upload, which upload-build.mjs finds in the browser. */
const offerTemplate = html`
  <template>
    <div class="notice upload-offer">
      <p class="offer-text"></p>
      <div class="row">
        <button type="button" class="button button-ink button-small offer-resume">
          ${t('upload-resume')}
        </button>
        <button type="button" class="button button-quiet button-small offer-discard">
          ${t('upload-discard')}
        </button>
      </div>
    </div>
  </template>`

/** What upload-build.mjs says; it fills in the parts in braces. */
const uploadTexts = scriptTexts({
  upload: t('build-upload'),
  not_zip: t('upload-not-zip', { file: '{file}' }),
  too_large: t('upload-too-large', { file: '{file}', size: '{size}', max: '{max}' }),
  offer: t('upload-offer', {
    file: '{file}',
    version: '{version}',
    system: '{system}',
    percent: '{percent}',
  }),
  choose_again: t('upload-choose-again', { file: '{file}' }),
  paused: t('upload-paused'),
  reading: t('upload-reading', { percent: '{percent}' }),
  lost: t('upload-lost'),
  failed: t('upload-failed', { status: '{status}' }),
  waiting: t('upload-waiting'),
  progress: t('upload-progress', { done: '{done}', size: '{size}', speed: '{speed}' }),
  remaining: t('upload-remaining', { progress: '{progress}', time: '{time}' }),
  scanning: t('upload-scanning'),
  scanned: t('upload-scanned'),
  collision: t('upload-collision', { first: '{first}', second: '{second}' }),
  refused: t('upload-refused', { findings: '{findings}' }),
})

/** Registers a build; with JavaScript the element also uploads the zip in resumable chunks. */
const registerForm = ({ uid, base }: ProjectContext, state: FormState): Html => html`
  ${formMessage(state, [...registerFields, 'changelog'])}
  <upload-build data-builds="${routePath(registerOwnBuild.url, { uid })}"
    data-sessions="${routePath(openUploadSessionOnWebsite.url, { uid })}"
    data-files="${routePath(uploadFileOnWebsite.url, { uid })}" data-base="${base}"
    data-project="${uid}" data-max-bytes="${uploadLimits.max_file_bytes}"
    data-chunk-bytes="${uploadLimits.chunk_bytes}"
    data-usual-arch="${JSON.stringify(usualArchitectures)}" data-texts="${uploadTexts}">
    ${offerTemplate}
    <form class="form" method="post" action="${base}/builds/register">
      ${registerInputs(state)}
      ${optionalInputs(state)}
      ${uploadInputs(base)}
    </form>
  </upload-build>`

const fileLine = ({ scan, filename, size, findings, web }: BuildFile): Html => html`
  <p class="build-file">
    ${scanBadge(scan)}
    <span class="mono">${filename}</span>
    <span class="soft">${formatBytes(size)}</span>
    ${findings && html`<span class="error-text">${findings}</span>`}
    ${scan === 'clean' && web?.problem && badge(t('build-not-playable'), 'warn', 'warn')}
  </p>`

const missingFile = (build_url: string): Html => html`
  <p class="build-file soft">
    ${richText('build-no-file', { link: linkTo(`${build_url}#file`) })}
  </p>`

function buildDetails({ title, version, created_at, health, symbols }: Build): Html {
  const { devices } = health
  const counts = [
    devices > 0 && t('build-devices', { count: devices, days: STATISTICS_DAYS }),
    symbols > 0 && formatCount(symbols, 'symbol-file'),
  ].filter((count) => count !== false)
  return html`
    ${title !== version && html`${title} · `}
    ${dateTag(created_at)}${counts.length > 0 && html` · ${joinTexts(counts, ' · ')}`}`
}

/** The channels that deliver the build on some system. */
const deliveringChannels = (channels: readonly Channel[], { build_id }: Build): Html[] =>
  channels
    .filter(({ expired, heads }) => !expired && heads.some((head) => head.build_id === build_id))
    .map(({ channel }) => badge(t('build-in-channel', { channel }), 'ink'))

function buildLine(base: string, build: Build, channels: readonly Channel[]): Html {
  const { version, os, arch, channel, app, health, files, withdrawn } = build
  const url = `${base}/builds/${build.build_id}`
  return html`
    <li class="build">
      <div class="build-head">
        <a class="build-version mono" href="${url}">${version}</a>
        <span>${platformLabel(os, arch)}</span>
        <span class="soft">${channel}${app && ` · ${app}`}</span>
        ${withdrawn && badge(t('build-withdrawal'), 'warn', 'warn')}
        ${health.band !== UNRATED && healthBadge(health.band)}
        ${deliveringChannels(channels, build)}
      </div>
      <p class="soft build-title">${buildDetails(build)}</p>
      ${files.length ? files.map(fileLine) : missingFile(url)}
    </li>`
}

function buildList(base: string, builds: Builds, channels: readonly Channel[]): Html {
  if (!builds.builds.length)
    return emptyState(
      t('builds-none'),
      t('builds-none-text'),
      html`
        <a class="button button-quiet" href="${base}/deploy-keys">${t('deploy-key')}</a>`,
    )
  const scanning = builds.builds.some(({ files }) => files.some(({ scan }) => scan === 'scanning'))
  return html`
    <ul class="builds"${scanning && html` data-scanning`}>
      ${builds.builds.map((build) => buildLine(base, build, channels))}
    </ul>
    ${pager(`${base}/builds`, builds)}`
}

export async function showBuilds(project: ProjectContext, result: FormResult) {
  const { request, uid, base, query } = project
  const page = Number(query.page) || 1
  const [builds, { channels }] = await Promise.all([
    readApi(request, listOwnBuilds, { params: { uid }, query: { page: String(page) } }),
    readApi(request, listChannels, { params: { uid } }),
  ])
  return renderSection(project, 'builds', {
    title: t('section-builds'),
    scripts: ['upload-build.mjs'],
    body: html`
      ${subsection(
        'upload',
        t('build-new'),
        registerForm(project, formState(result, 'build', defaults)),
        t('build-new-text'),
      )}
      ${channelsSubsection(project, result, { channels, builds: builds.builds })}
      ${subsection('builds', t('builds-all'), buildList(base, builds, channels))}`,
  })
}

function readBuildField(sent: FormBody, name: (typeof registerFields)[number]): string {
  const value = fieldValue(sent, name)
  if (name !== 'arch' || value !== USUAL_ARCH) return value
  return usualArchitectures[fieldValue(sent, 'os') as OperatingSystem] ?? ''
}

const readBuild = (sent: FormBody) => ({
  ...Object.fromEntries(
    registerFields.flatMap((name) => {
      const value = readBuildField(sent, name)
      return value ? [[name, value]] : []
    }),
  ),
  changelog_items: fieldLines(sent, 'changelog').map((title) => ({ title, description: '' })),
})

export const buildsRoutes = [
  projectPage('builds', 'The builds of a project', showBuilds),
  projectForm('builds/register', 'Register a build', sendTo(registerOwnBuild, readBuild), {
    form: 'build',
    show: showBuilds,
    done: t('build-registered'),
    back: ({ base }, { build_id }) => `${base}/builds/${build_id}#file`,
  }),
]
