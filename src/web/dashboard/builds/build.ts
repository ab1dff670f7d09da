import { deleteOwnBuild, readOwnBuild } from '../../../builds/builds/routes.ts'
import { bundleCheckRoute } from '../../../builds/bundle-check/routes.ts'
import {
  deleteAllSymbols,
  deleteOneSymbol,
  listSymbolsRoute,
} from '../../../builds/symbols/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { formatBytes } from '../../../core/runtime/format-bytes.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { eventAnalytics } from '../../../telemetry/events/routes.ts'
import { uploadFileOnWebsite } from '../../../uploads/routes.ts'
import { readApi } from '../../call.ts'
import { badge, healthBadge, scanBadge } from '../../components/badge.ts'
import { barChart, daysBack } from '../../components/chart.ts'
import { button, formMessage } from '../../components/form.ts'
import {
  dateTimeTag,
  formatCount,
  formatPercent,
  labelOf,
  platformLabel,
} from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton, copyable } from '../../components/secret-field.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import { forwardUpload } from '../forward-upload.ts'
import { activeByBuild } from '../insights/activity.ts'
import { formSender, formState, projectForm } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import type { Build, BuildFile } from './builds.ts'
import { checksumInput, symbolsBody, uploadSymbolsForm } from './symbols.ts'

type ActiveDays = RouteData<typeof eventAnalytics>['active_devices']
type PackMatch = RouteData<typeof bundleCheckRoute>['matches'][number]

function fileCard(file: BuildFile): Html {
  const { scan, filename, size, findings, uploaded_at, method, key_ref, checksum } = file
  const uploader =
    method === 'website'
      ? 'the website'
      : html`deploy key <span class="mono">${key_ref ?? ''}</span>`
  const threat = html`
    <p class="notice notice-bad">
      The scanner found: ${findings}. The file was removed; upload a clean zip.
    </p>`
  return html`
    <article class="panel">
      <div class="row">
        ${scanBadge(scan)}
        <strong class="mono">${filename}</strong>
        <span class="soft">${formatBytes(size)}</span>
      </div>
      ${findings && threat}
      ${facts([
        ['Uploaded', dateTimeTag(uploaded_at)],
        ['Uploaded by', uploader],
      ])}
      <p class="hint">SHA-256</p>
      ${copyable(checksum, 'the checksum')}
    </article>`
}

const uploadForm = (action: string, { build_id, app }: Build): Html => html`
  <form class="form" method="post" enctype="multipart/form-data" action="${action}/file">
    <input type="hidden" name="build_id" value="${build_id}">
    ${app && html`<input type="hidden" name="app" value="${app}">`}
    <file-checksum>
      ${checksumInput('f-checksum', 'SHA-256 of the zip', 'game.zip')}
      <div class="field">
        <label for="f-file">Zip file</label>
        <input id="f-file" type="file" name="file" accept=".zip" required>
      </div>
    </file-checksum>
    ${button('Upload', { kind: 'quiet' })}
  </form>`

const anotherUpload = (form: Html): Html => html`
  <details class="more">
    <summary>Upload another zip</summary>
    ${form}
  </details>`

const packTones = { unlicensed: 'bad', attribution: 'warn', licensed: 'ok', owned: 'ok' } as const

const packRow = ({ pack, status, files, paths }: PackMatch) => [
  pack.name,
  badge(status, packTones[status as keyof typeof packTones] ?? 'soft'),
  files,
  html`${paths.map((path) => html`<code>${path}</code><br>`)}`,
]

const bundleCheck = (matches: PackMatch[]): Html =>
  matches.length
    ? table(
        'Asset packs found in this build',
        ['Asset pack', 'License', 'Files', 'Examples'],
        matches.map(packRow),
      )
    : emptyState(
        'No asset packs found',
        'Files of 1 kB or more are compared with the asset packs of this store. ' +
          'Only you and your admins see the result.',
      )

const changelogItem = ({ title, description }: Build['changelog_items'][number]): Html => html`
  <li>${title}${description && html` <span class="soft">${description}</span>`}</li>`

function about(build: Build): Html {
  const { description, changelog_items } = build
  return html`
    ${description && html`<p>${description}</p>`}
    ${changelog_items.length > 0 && html`<ul>${changelog_items.map(changelogItem)}</ul>`}
    ${facts([
      ['Channel', build.channel],
      ['Kind', labelOf(build.build_type)],
      build.app && (['App', build.app] as const),
      ['Engine version', build.engine_version ?? 'not specified'],
      ['Registered', dateTimeTag(build.created_at)],
    ])}
    <p class="hint">Build ID, for crash and event reports</p>
    ${copyable(build.build_id, 'the build ID')}`
}

function launchHealth(base: string, { build_id, health }: Build, chart: Html | undefined): Html {
  const { band, devices, boot_ok, crash_on_boot } = health
  const count = formatCount(devices, 'device')
  const started = formatPercent(boot_ok, devices)
  const crashed = formatPercent(crash_on_boot, devices)
  return html`
    <div class="row">
      ${healthBadge(band)}
      <span>${count}, ${started} started, ${crashed} crashed at launch</span>
    </div>
    ${chart}
    <p>
      <a href="${base}/health">Health of all builds</a> ·
      <a href="${base}/crashes?build=${build_id}">Crash reports of this build</a>
    </p>`
}

const deleteForm = (action: string, { version }: Build): Html =>
  confirmButton({
    label: 'Delete…',
    sentence:
      'This permanently deletes its files and crash reports. Channels that point at it return to ' +
      'the build before.',
    action: `${action}/delete`,
    confirm: `Delete ${version}`,
  })

const buildParams = ({ uid, params }: ProjectContext) => ({ uid, build_id: params.build! })

async function readDetails(project: ProjectContext) {
  const { request, uid } = project
  const params = buildParams(project)
  const build = await readApi(request, readOwnBuild, { params })
  const [{ symbols }, { matches }, { active_devices }] = await Promise.all([
    readApi(request, listSymbolsRoute, { params }),
    readApi(request, bundleCheckRoute, { params }),
    readApi(request, eventAnalytics, { params: { uid } }),
  ])
  return { build, symbols, matches, active_devices }
}

function activityChart({ build_id }: Build, active_devices: ActiveDays): Html | undefined {
  const days = daysBack(STATISTICS_DAYS, new Date())
  const values = activeByBuild(days, active_devices).get(build_id)
  return (
    values &&
    barChart({
      title: 'Active devices',
      unit: 'per day',
      days,
      series: [{ name: 'Devices', tone: 'a', values }],
    })
  )
}

export async function showBuild(project: ProjectContext, result: FormResult) {
  const { base } = project
  const { build, symbols, matches, active_devices } = await readDetails(project)
  const action = `${base}/builds/${build.build_id}`
  const chart = activityChart(build, active_devices)
  const upload = uploadForm(action, build)
  const files = html`
    ${build.files.map(fileCard)}
    ${build.files.length ? anotherUpload(upload) : upload}`
  return renderSection(project, 'builds', {
    title: `Build ${build.version}`,
    heading: html`
      <h1>${build.version} <small class="soft">${platformLabel(build.os, build.arch)}</small></h1>`,
    overview: 'builds',
    scripts: ['file-checksum.mjs'],
    body: html`
      ${formMessage(formState(result, 'build', {}))}
      ${subsection('about', build.title, about(build))}
      ${subsection('file', 'File', files)}
      ${subsection('health', 'Launch health', launchHealth(base, build, chart))}
      ${subsection('symbols', 'Debug symbols', symbolsBody(project, build, symbols))}
      ${subsection(
        'bundle',
        'Bundle check',
        bundleCheck(matches),
        'Asset packs by other developers in this build, and their licenses. It blocks nothing.',
      )}
      ${subsection('delete', 'Delete build', deleteForm(action, build))}`,
  })
}

const sendToBuild = formSender(buildParams)
const sendToSymbol = formSender((project) => ({
  ...buildParams(project),
  symbol_uid: project.params.symbol!,
}))
const backToSymbols = ({ base, params }: ProjectContext) => `${base}/builds/${params.build}#symbols`

export const buildRoutes = [
  projectPage('builds/:build', 'A build of a project', showBuild),
  forwardUpload('builds/:build/file', 'Upload the zip of a build', {
    to: uploadFileOnWebsite,
    form: 'build',
    show: showBuild,
    done: 'Uploaded. The file is being scanned.',
    back: 'builds',
  }),
  uploadSymbolsForm(showBuild),
  projectForm('builds/:build/delete', 'Delete a build', sendToBuild(deleteOwnBuild), {
    form: 'build',
    show: showBuild,
    done: 'Build deleted',
    back: 'builds',
  }),
  projectForm(
    'builds/:build/symbols/delete',
    'Delete the symbols of a build',
    sendToBuild(deleteAllSymbols),
    {
      form: 'build',
      show: showBuild,
      done: 'Symbols deleted',
      back: backToSymbols,
    },
  ),
  projectForm(
    'builds/:build/symbols/:symbol/delete',
    'Delete a symbol file',
    sendToSymbol(deleteOneSymbol),
    {
      form: 'build',
      show: showBuild,
      done: 'Symbol file deleted',
      back: backToSymbols,
    },
  ),
]
