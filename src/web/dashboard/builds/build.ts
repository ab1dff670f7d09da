import { deleteOwnBuild, listOwnBuilds, readOwnBuild } from '../../../builds/builds/routes.ts'
import { bundleCheckRoute } from '../../../builds/bundle-check/routes.ts'
import {
  deleteAllSymbols,
  deleteOneSymbol,
  listSymbolsRoute,
} from '../../../builds/symbols/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { eventAnalytics } from '../../../telemetry/events/routes.ts'
import { uploadFileOnWebsite } from '../../../uploads/routes.ts'
import { readApi } from '../../call.ts'
import { badge, healthBadge, scanBadge } from '../../components/badge.ts'
import { barChart, daysBack } from '../../components/chart.ts'
import { button, formMessage } from '../../components/form.ts'
import {
  dateTimeTag,
  formatBytes,
  formatPercent,
  labelOf,
  platformLabel,
} from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
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
import { launchForm, launchSubsection } from './launch.ts'
import { isolationForm, playSubsection, webReport } from './play.ts'
import { checksumInput, symbolsBody, uploadSymbolsForm } from './symbols.ts'
import { withdrawalRoutes, withdrawalSubsection, withdrawnNotice } from './withdrawal.ts'

type ActiveDays = RouteData<typeof eventAnalytics>['active_devices']
type PackMatch = RouteData<typeof bundleCheckRoute>['matches'][number]

function fileCard(file: BuildFile, page: string): Html {
  const { scan, filename, size, findings, uploaded_at, method, key_ref, checksum, web } = file
  const uploader =
    method === 'website'
      ? t('build-by-website')
      : richText('build-by-key', { key: html`<span class="mono">${key_ref ?? ''}</span>` })
  const threat = html`
    <p class="notice notice-bad">${t('build-threat', { findings: findings ?? '' })}</p>`
  return html`
    <article class="panel">
      <div class="row">
        ${scanBadge(scan)}
        <strong class="mono">${filename}</strong>
        <span class="soft">${formatBytes(size)}</span>
      </div>
      ${findings && threat}
      ${scan === 'clean' && web && webReport(web, `${page}/play?file=${file.file_uid}`)}
      ${facts([
        [t('column-uploaded'), dateTimeTag(uploaded_at)],
        [t('build-uploaded-by'), uploader],
      ])}
      <p class="hint">SHA-256</p>
      ${copyable(checksum, t('build-checksum'))}
    </article>`
}

const uploadForm = (action: string, { build_id, app }: Build): Html => html`
  <form class="form" method="post" enctype="multipart/form-data" action="${action}/file">
    <input type="hidden" name="build_id" value="${build_id}">
    ${app && html`<input type="hidden" name="app" value="${app}">`}
    <file-checksum>
      ${checksumInput('f-checksum', t('checksum-of-zip'), 'game.zip')}
      <div class="field">
        <label for="f-file">${t('build-zip')}</label>
        <input id="f-file" type="file" name="file" accept=".zip" required>
      </div>
    </file-checksum>
    ${button(t('build-upload'), { kind: 'quiet' })}
  </form>`

const anotherUpload = (form: Html): Html => html`
  <details class="more">
    <summary>${t('build-upload-another')}</summary>
    ${form}
  </details>`

const packTexts: Record<string, Text> = {
  unlicensed: t('pack-unlicensed'),
  attribution: t('pack-attribution'),
  licensed: t('pack-licensed'),
  owned: t('pack-owned'),
}
const packTones = { unlicensed: 'bad', attribution: 'warn', licensed: 'ok', owned: 'ok' } as const

const packRow = ({ pack, status, files, paths }: PackMatch) => [
  pack.name,
  badge(packTexts[status] ?? status, packTones[status as keyof typeof packTones] ?? 'soft'),
  files,
  html`${paths.map((path) => html`<code>${path}</code><br>`)}`,
]

const bundleCheck = (matches: PackMatch[]): Html =>
  matches.length
    ? table(
        t('packs-found'),
        [t('pack'), t('pack-license'), t('pack-files'), t('pack-examples')],
        matches.map(packRow),
      )
    : emptyState(t('packs-none'), t('packs-none-text'))

const changelogItem = ({ title, description }: Build['changelog_items'][number]): Html => html`
  <li>${title}${description && html` <span class="soft">${description}</span>`}</li>`

/** A build without a title has its version for one, which the page already shows above. */
const aboutTitle = ({ title, version }: Build): Text =>
  title === version ? t('build-about') : title

function about(build: Build): Html {
  const { description, changelog_items } = build
  return html`
    ${description && html`<p>${description}</p>`}
    ${changelog_items.length > 0 && html`<ul>${changelog_items.map(changelogItem)}</ul>`}
    ${facts([
      [t('channel'), build.channel],
      [t('build-kind'), labelOf(build.build_type)],
      build.app && ([t('build-app'), build.app] as const),
      [t('build-engine'), build.engine_version ?? t('build-no-engine')],
      [t('build-registered-at'), dateTimeTag(build.created_at)],
    ])}
    <p class="hint">${t('build-id-hint')}</p>
    ${copyable(build.build_id, t('build-id'))}`
}

function launchHealth(base: string, { build_id, health }: Build, chart: Html | undefined): Html {
  const { band, devices, boot_ok, crash_on_boot, signed_devices } = health
  const started = formatPercent(boot_ok, devices)
  const crashed = formatPercent(crash_on_boot, devices)
  return html`
    <div class="row">
      ${healthBadge(band)}
      <span>${t('build-health-text', { count: devices, started, crashed })}</span>
    </div>
    ${devices > 0 && html`<p class="soft">${t('build-health-signed', { percent: formatPercent(signed_devices, devices) })}</p>`}
    ${chart}
    <p>
      <a href="${base}/health">${t('build-health-all')}</a> ·
      <a href="${base}/crashes?build=${build_id}">${t('build-crashes')}</a>
    </p>`
}

const deleteForm = (action: string, { version }: Build): Html =>
  confirmButton({
    label: t('build-delete-open'),
    sentence: t('build-delete-text'),
    action: `${action}/delete`,
    confirm: t('build-delete-confirm', { version }),
  })

/** How many of the newest builds a withdrawn one can be replaced by on the page. */
const MAX_REPLACEMENTS = '100'

const buildParams = ({ uid, params }: ProjectContext) => ({ uid, build_id: params.build! })

async function readDetails(project: ProjectContext) {
  const { request, uid } = project
  const params = buildParams(project)
  const build = await readApi(request, readOwnBuild, { params })
  const query = { app: build.app, page_size: MAX_REPLACEMENTS }
  const [{ symbols }, { matches }, { active_devices }, { builds }] = await Promise.all([
    readApi(request, listSymbolsRoute, { params }),
    readApi(request, bundleCheckRoute, { params }),
    readApi(request, eventAnalytics, { params: { uid } }),
    readApi(request, listOwnBuilds, { params: { uid }, query }),
  ])
  return { build, symbols, matches, active_devices, builds }
}

function activityChart({ build_id }: Build, active_devices: ActiveDays): Html | undefined {
  const days = daysBack(STATISTICS_DAYS, new Date())
  const values = activeByBuild(days, active_devices).get(build_id)
  return (
    values &&
    barChart({
      title: t('build-active-devices'),
      unit: t('per-day'),
      days,
      series: [{ name: t('health-devices'), tone: 'a', values }],
    })
  )
}

export async function showBuild(project: ProjectContext, result: FormResult) {
  const { base, listing } = project
  const { build, symbols, matches, active_devices, builds } = await readDetails(project)
  const action = `${base}/builds/${build.build_id}`
  const chart = activityChart(build, active_devices)
  const upload = uploadForm(action, build)
  const page = `/${listing.developer.username}/${listing.vanity_name}`
  const files = html`
    ${build.files.map((file) => fileCard(file, page))}
    ${build.files.length ? anotherUpload(upload) : upload}`
  return renderSection(project, 'builds', {
    title: t('build-version', { version: build.version }),
    heading: html`
      <h1>${build.version} <small class="soft">${platformLabel(build.os, build.arch)}</small></h1>`,
    overview: 'builds',
    scripts: ['file-checksum.mjs'],
    body: html`
      ${formMessage(formState(result, 'build', {}))}
      ${build.withdrawn && withdrawnNotice(build.withdrawn)}
      ${subsection('about', aboutTitle(build), about(build))}
      ${subsection('file', t('build-file'), files)}
      ${build.os === 'web' && playSubsection(action, build, result)}
      ${build.os !== 'web' && launchSubsection(action, build, result)}
      ${subsection('health', t('build-health'), launchHealth(base, build, chart))}
      ${subsection('symbols', t('symbols-table'), symbolsBody(project, build, symbols))}
      ${subsection('bundle', t('bundle-check'), bundleCheck(matches), t('bundle-check-text'))}
      ${withdrawalSubsection(action, build, builds, result)}
      ${subsection('delete', t('build-delete'), deleteForm(action, build))}`,
  })
}

const MAX_SHOWN_PATH = 60

/** A notice has little space, so it names one pair and shortens long paths. */
function uploadedText(uploaded: RouteData<typeof uploadFileOnWebsite>): Text {
  const [collision] = uploaded.name_collisions ?? []
  if (!collision) return t('build-uploaded')
  const short = (path: string) => {
    const characters = [...path]
    return characters.length > MAX_SHOWN_PATH
      ? `…${characters.slice(1 - MAX_SHOWN_PATH).join('')}`
      : path
  }
  const { first, second } = collision
  return joinTexts(
    [t('build-uploaded'), t('upload-collision', { first: short(first), second: short(second) })],
    ' ',
  )
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
    done: uploadedText,
    back: 'builds',
  }),
  uploadSymbolsForm(showBuild),
  isolationForm(showBuild),
  launchForm(showBuild),
  ...withdrawalRoutes(showBuild),
  projectForm('builds/:build/delete', 'Delete a build', sendToBuild(deleteOwnBuild), {
    form: 'build',
    show: showBuild,
    done: t('build-deleted'),
    back: 'builds',
  }),
  projectForm(
    'builds/:build/symbols/delete',
    'Delete the symbols of a build',
    sendToBuild(deleteAllSymbols),
    {
      form: 'build',
      show: showBuild,
      done: t('symbols-deleted'),
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
      done: t('symbols-file-deleted'),
      back: backToSymbols,
    },
  ),
]
