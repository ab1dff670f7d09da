import { read } from '../../call.ts'
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
import { type Html, html } from '../../components/html.ts'
import { confirmButton, copyable } from '../../components/secret-field.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import { sendOn } from '../forward-upload.ts'
import { type ActiveDay, activeByBuild } from '../insights/activity.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'
import type { Build, BuildFile } from './builds.ts'
import { type SymbolFile, sendSymbolsRoute, symbolPart } from './symbols.ts'

type Match = { pack: { uid: string; name: string }; status: string; files: number; paths: string[] }

const fileCard = (
  file: BuildFile,
): Html => html`<article class="panel"><div class="row">${scanBadge(file.scan)}<strong class="mono">${file.filename}</strong><span class="soft">${formatBytes(file.size)}</span></div>
${file.findings && html`<p class="notice notice-bad">The scanner says: ${file.findings}. The bytes were removed; upload a clean zip.</p>`}
${facts([
  ['Uploaded', dateTimeTag(file.uploaded_at)],
  [
    'By',
    file.method === 'website'
      ? 'the website'
      : html`deploy key <span class="mono">${file.key_ref ?? ''}</span>`,
  ],
])}<p class="hint">SHA-256</p>${copyable(file.checksum, 'the checksum')}</article>`

const sendFile = (
  { base }: Desk,
  { build_id }: Build,
): Html => html`<form class="form" method="post" enctype="multipart/form-data" action="${base}/builds/${build_id}/file">
<input type="hidden" name="build_id" value="${build_id}">
<file-checksum><div class="field"><label for="f-checksum">SHA-256 of the zip</label><input id="f-checksum" name="checksum" required pattern="(sha256:)?[0-9a-fA-F]{64}" class="mono"><p class="hint">From <code>sha256sum game.zip</code>. With script it is worked out for you.</p></div>
<div class="field"><label for="f-file">The zip</label><input id="f-file" type="file" name="file" accept=".zip" required></div></file-checksum>${button('Upload', { kind: 'quiet' })}</form>`

const statusTone = { unlicensed: 'bad', attribution: 'warn', licensed: 'ok', owned: 'ok' } as const

const bundle = (matches: Match[]): Html =>
  matches.length
    ? table(
        'Asset packs found in this build',
        ['Pack', 'Standing', 'Files', 'For example'],
        matches.map(({ pack, status, files, paths }) => [
          pack.name,
          badge(status, statusTone[status as keyof typeof statusTone] ?? 'soft'),
          files,
          html`${paths.map((path) => html`<code>${path}</code><br>`)}`,
        ]),
      )
    : emptyState(
        'No pack recognised',
        'Files of 1 kB or more are held against the asset packs of this store. Nobody but you sees this.',
      )

export async function showBuild(desk: Desk, filled: Filled) {
  const { request, api, base, params } = desk
  const url = `${api}/builds/${encodeURIComponent(params.build!)}`
  const build = await read<Build>(request, url)
  const [{ symbols }, { matches }, { active_devices }] = await Promise.all([
    read<{ symbols: SymbolFile[] }>(request, `${url}/symbols`),
    read<{ matches: Match[] }>(request, `${url}/bundle-check`),
    read<{ active_devices: ActiveDay[] }>(request, `${api}/event-analytics`),
  ])
  const { health } = build
  const days = daysBack(30, new Date())
  const values = activeByBuild(days, active_devices).get(build.build_id)
  return roomPage(desk, 'builds', {
    title: `Build ${build.version}`,
    scripts: ['file-checksum.mjs'],
    body: html`<p class="eyebrow"><a href="${base}/builds">Builds</a></p><h1>${build.version} <small class="soft">${platformLabel(build.os, build.arch)}</small></h1>
${formMessage(formOf(filled, 'build', {}))}
${section(
  'about',
  build.title,
  html`${build.description && html`<p>${build.description}</p>`}${build.changelog_items.length > 0 && html`<ul>${build.changelog_items.map(({ title, description }) => html`<li>${title}${description && html` <span class="soft">${description}</span>`}</li>`)}</ul>`}
${facts([
  ['Channel', build.channel],
  ['Kind', labelOf(build.build_type)],
  build.app && (['App', build.app] as const),
  ['Engine version', build.engine_version ?? 'not said'],
  ['Registered', dateTimeTag(build.created_at)],
])}<p class="hint">Build id, for crash and event reports</p>${copyable(build.build_id, 'the build id')}`,
)}
${section('file', 'File', html`${build.files.map(fileCard)}${build.files.length ? html`<details class="more"><summary>Send another zip</summary>${sendFile(desk, build)}</details>` : sendFile(desk, build)}`)}
${section('health', 'Launch health', html`<div class="row">${healthBadge(health.band)}<span>${health.devices} devices, ${formatPercent(health.boot_ok, health.devices)} started, ${formatPercent(health.crash_on_boot, health.devices)} crashed first</span></div>${values && barChart({ title: 'Active devices', unit: 'a day', days, series: [{ name: 'Devices', tone: 'a', values }] })}<p><a href="${base}/health">All builds</a> · <a href="${base}/crashes?build=${build.build_id}">Crash reports of this build</a></p>`)}
${section('symbols', 'Debug symbols', symbolPart(desk, build, symbols))}
${section('bundle', 'Bundle check', bundle(matches), 'Whether asset packs of others are in this build, and on what terms. It blocks nothing.')}
${section('delete', 'Delete this build', confirmButton({ label: 'Delete…', sentence: 'Its files are gone for good, channels that point at it go back, and its crash reports go with it.', action: `${base}/builds/${build.build_id}/delete`, confirm: `Delete ${build.version}` }))}`,
  })
}

const onBuild = (path: string, summary: string, url: (desk: Desk) => string, done: string) =>
  deskForm(`builds/:build/${path}`, summary, {
    form: 'build',
    show: showBuild,
    send: (desk) => ({
      method: 'DELETE',
      url: `${desk.api}/builds/${encodeURIComponent(desk.params.build!)}${url(desk)}`,
    }),
    done,
    back: ({ base, params }) =>
      path === 'delete' ? `${base}/builds` : `${base}/builds/${params.build}#symbols`,
  })

export const buildRoutes = [
  deskPage('builds/:build', 'One build of a project', showBuild),
  sendOn('builds/:build/file', 'Send the zip of a build', {
    to: ({ api }) => `${api}/files`,
    form: 'build',
    show: showBuild,
    done: 'Uploaded. The scanner has it now.',
    back: 'builds',
  }),
  sendSymbolsRoute(showBuild),
  onBuild('delete', 'Delete a build', () => '', 'Deleted'),
  onBuild('symbols/delete', 'Delete the symbols of a build', () => '/symbols', 'Deleted'),
  onBuild(
    'symbols/:symbol/delete',
    'Delete symbols',
    ({ params }) => `/symbols/${encodeURIComponent(params.symbol!)}`,
    'Deleted',
  ),
]
