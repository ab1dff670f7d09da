import { architectures } from '../../../builds/builds/fields.ts'
import { listOwnBuilds, registerOwnBuild } from '../../../builds/builds/routes.ts'
import { listChannels } from '../../../builds/channels/routes.ts'
import { MAX_FILE_SIZE, MAX_TITLE, uploadLimits } from '../../../builds/limits.ts'
import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { formatBytes } from '../../../core/runtime/format-bytes.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { UNRATED } from '../../../listings/fields/launch-bands.ts'
import { MAX_VERSION, operatingSystems } from '../../../listings/fields/versions.ts'
import { openUploadSessionOnWebsite, uploadFileOnWebsite } from '../../../uploads/routes.ts'
import { readApi } from '../../call.ts'
import { healthBadge, scanBadge } from '../../components/badge.ts'
import {
  type FormBody,
  type FormState,
  fieldLines,
  fieldValue,
  formMessage,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { dateTag, formatCount, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pager } from '../../components/pager.ts'
import { emptyState } from '../../components/table.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { channelsSubsection } from './channels.ts'

type Builds = RouteData<typeof listOwnBuilds>
export type Build = Builds['builds'][number]
export type BuildFile = Build['files'][number]

const registerFields = ['version', 'os', 'arch', 'channel', 'title', 'engine_version'] as const
const osOptions = operatingSystems.map((value) => ({ value, label: platformLabel(value) }))
const archOptions = architectures.map((value) => ({ value, label: value }))
const defaults = { channel: 'stable', os: 'windows', arch: 'x86_64' }

function registerInputs(state: FormState): Html {
  const version = textField(state, {
    name: 'version',
    label: 'Version',
    required: true,
    maxlength: MAX_VERSION,
    placeholder: '1.0.0',
  })
  const channel = textField(state, {
    name: 'channel',
    label: 'Channel',
    required: true,
    hint:
      'stable: all players. beta: players who joined the beta. dev, or a name of your own: you ' +
      'and your admins.',
  })
  const os = selectField(state, { name: 'os', label: 'System', required: true, options: osOptions })
  const arch = selectField(state, {
    name: 'arch',
    label: 'Processor',
    required: true,
    options: archOptions,
  })
  return html`
    <div class="pair">${version}${channel}</div>
    <div class="pair">${os}${arch}</div>`
}

function optionalInputs(state: FormState): Html {
  const title = textField(state, { name: 'title', label: 'Title', maxlength: MAX_TITLE })
  const changelog = textArea(state, {
    name: 'changelog',
    label: 'Changelog',
    rows: 4,
    hint: 'One change per line.',
  })
  const engine = textField(state, {
    name: 'engine_version',
    label: 'Engine version',
    hint: 'Mod compatibility is checked against this build.',
  })
  return html`
    <details class="more">
      <summary>Title, changelog, engine version</summary>
      <div class="form">${title}${changelog}${engine}</div>
    </details>`
}

/** The controls that upload-build.mjs shows. */
const uploadInputs = html`
  <div class="field upload-file" hidden>
    <label for="build-file">Zip file</label>
    <input id="build-file" type="file" accept=".zip,application/zip">
    <p class="hint">
      Up to ${MAX_FILE_SIZE}. You can resume an interrupted upload: choose the same file again.
    </p>
  </div>
  <div class="upload-row" hidden>
    <p class="upload-name"></p>
    <progress max="1" value="0" aria-label="Upload"></progress>
    <p class="upload-state" role="status"></p>
  </div>
  <p class="error-text upload-error" role="alert" hidden></p>
  <div class="row">
    <button class="button button-primary">
      <span class="upload-idle">Register build</span>
    </button>
    <button type="button" class="button button-quiet upload-stop" hidden>Pause</button>
  </div>
  <noscript>
    <p class="hint">
      Without JavaScript, register the build here and upload its zip on the page of the build, or
      use the <a href="/cli/slipway.mjs" download>uploader</a>.
    </p>
  </noscript>`

/** An interrupted upload, which upload-build.mjs finds in the browser. */
const offerTemplate = html`
  <template>
    <div class="notice upload-offer">
      <p class="offer-text"></p>
      <div class="row">
        <button type="button" class="button button-ink button-small offer-resume">Resume</button>
        <button type="button" class="button button-quiet button-small offer-discard">
          Discard
        </button>
      </div>
    </div>
  </template>`

/** Registers a build; with JavaScript the element also uploads the zip in resumable chunks. */
const registerForm = ({ uid, base }: ProjectContext, state: FormState): Html => html`
  ${formMessage(state, [...registerFields, 'changelog'])}
  <upload-build data-builds="${routePath(registerOwnBuild.url, { uid })}"
    data-sessions="${routePath(openUploadSessionOnWebsite.url, { uid })}"
    data-files="${routePath(uploadFileOnWebsite.url, { uid })}" data-base="${base}"
    data-project="${uid}" data-max-bytes="${uploadLimits.max_file_bytes}">
    ${offerTemplate}
    <form class="form" method="post" action="${base}/builds/register">
      ${registerInputs(state)}
      ${optionalInputs(state)}
      ${uploadInputs}
    </form>
  </upload-build>`

const fileLine = ({ scan, filename, size, findings }: BuildFile): Html => html`
  <p class="build-file">
    ${scanBadge(scan)}
    <span class="mono">${filename}</span>
    <span class="soft">${formatBytes(size)}</span>
    ${findings && html`<span class="error-text">${findings}</span>`}
  </p>`

const missingFile = (build_url: string): Html => html`
  <p class="build-file soft">No file yet. <a href="${build_url}#file">Upload its zip</a></p>`

function buildDetails({ title, version, created_at, health, symbols }: Build): Html {
  const devices =
    health.devices > 0 && ` · ${formatCount(health.devices, 'device')} in ${STATISTICS_DAYS} days`
  const symbol_files = symbols > 0 && ` · ${formatCount(symbols, 'symbol-file')}`
  return html`
    ${title !== version && html`${title} · `}${dateTag(created_at)}${devices}${symbol_files}`
}

function buildLine(base: string, build: Build): Html {
  const { version, os, arch, channel, app, health, files } = build
  const url = `${base}/builds/${build.build_id}`
  return html`
    <li class="build">
      <div class="build-head">
        <a class="build-version mono" href="${url}">${version}</a>
        <span>${platformLabel(os, arch)}</span>
        <span class="soft">${channel}${app && ` · ${app}`}</span>
        ${health.band !== UNRATED && healthBadge(health.band)}
      </div>
      <p class="soft build-title">${buildDetails(build)}</p>
      ${files.length ? files.map(fileLine) : missingFile(url)}
    </li>`
}

function buildList(base: string, builds: Builds): Html {
  if (!builds.builds.length)
    return emptyState(
      'No builds yet',
      'Upload your first zip above, or let your build server upload it with a deploy key.',
      html`<a class="button button-quiet" href="${base}/settings#deploy-keys">Deploy key</a>`,
    )
  const scanning = builds.builds.some(({ files }) => files.some(({ scan }) => scan === 'scanning'))
  return html`
    <ul class="builds"${scanning && html` data-scanning`}>
      ${builds.builds.map((build) => buildLine(base, build))}
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
    title: 'Builds',
    scripts: ['upload-build.mjs'],
    body: html`
      ${subsection(
        'upload',
        'New build',
        registerForm(project, formState(result, 'build', defaults)),
        'Every zip is inspected and scanned before anyone can download it.',
      )}
      ${channelsSubsection(project, result, { channels, builds: builds.builds })}
      ${subsection('builds', 'All builds', buildList(base, builds))}`,
  })
}

const readBuild = (sent: FormBody) => ({
  ...Object.fromEntries(
    registerFields.flatMap((name) =>
      fieldValue(sent, name) ? [[name, fieldValue(sent, name)]] : [],
    ),
  ),
  changelog_items: fieldLines(sent, 'changelog').map((title) => ({ title, description: '' })),
})

export const buildsRoutes = [
  projectPage('builds', 'The builds of a project', showBuilds),
  projectForm('builds/register', 'Register a build', sendTo(registerOwnBuild, readBuild), {
    form: 'build',
    show: showBuilds,
    done: 'Build registered. Upload its zip next.',
    back: ({ base }, { build_id }) => `${base}/builds/${build_id}#file`,
  }),
]
