import { architectures } from '../../../builds/builds/fields.ts'
import type { LaunchBand } from '../../../listings/fields/launch-bands.ts'
import { operatingSystems } from '../../../listings/fields/versions.ts'
import { read } from '../../call.ts'
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
import { dateTag, formatBytes, formatCount, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pager } from '../../components/pager.ts'
import { emptyState } from '../../components/table.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'
import { channelParts, readChannels } from './channels.ts'

export type BuildFile = {
  file_uid: string
  filename: string
  checksum: string
  size: number
  scan: string
  uploaded_at: string
  method: string
  key_ref?: string
  findings?: string
}
export type Build = {
  build_id: string
  app: string
  version: string
  build_type: string
  os: string
  arch: string
  channel: string
  title: string
  description: string
  engine_version?: string
  created_at: string
  symbols: number
  health: {
    band: LaunchBand
    devices: number
    boot_ok: number
    crash_on_boot: number
    median_session_seconds: number | null
  }
  changelog_items: { title: string; description: string }[]
  files: BuildFile[]
}
export type Builds = { builds: Build[]; page: number; page_size: number; total: number }

const newFields = ['version', 'os', 'arch', 'channel', 'title', 'engine_version', 'changelog']

/** Everything about a new build; the element around it sends the zip as well, in pieces that can be resumed. */
export const newBuild = (
  { api, base }: Desk,
  state: FormState,
): Html => html`${formMessage(state, newFields)}
<upload-build data-api="${api}" data-base="${base}"><form class="form" method="post" action="${base}/builds/register">
<div class="pair">${textField(state, { name: 'version', label: 'Version', required: true, maxlength: 32, placeholder: '1.0.0' })}
${textField(state, { name: 'channel', label: 'Channel', required: true, hint: 'stable is what players get; beta is for those who joined; dev is for you.' })}</div>
<div class="pair">${selectField(state, { name: 'os', label: 'System', required: true, options: operatingSystems.map((value) => ({ value, label: platformLabel(value) })) })}
${selectField(state, { name: 'arch', label: 'Processor', required: true, options: architectures.map((value) => ({ value, label: value })) })}</div>
<details class="more"><summary>Title, changelog, engine version</summary><div class="form">
${textField(state, { name: 'title', label: 'Title', maxlength: 255 })}
${textArea(state, { name: 'changelog', label: 'Changelog', rows: 4, hint: 'One change a line.' })}
${textField(state, { name: 'engine_version', label: 'Engine version', hint: 'Mods are held against it.' })}</div></details>
<div class="field upload-file" hidden><label for="build-file">The zip</label><input id="build-file" type="file" accept=".zip,application/zip"><p class="hint">Up to 5 GB. It goes in pieces: close the lid, come back, choose the same file, and it goes on.</p></div>
<div class="upload-row" hidden><p class="upload-name"></p><progress max="1" value="0" aria-label="Upload"></progress><p class="upload-state" role="status"></p></div>
<p class="wrong upload-wrong" role="alert" hidden></p>
<div class="row"><button class="button button-primary"><span class="upload-idle">Register the build</span></button><button type="button" class="button button-quiet upload-stop" hidden>Pause</button></div>
<noscript><p class="hint">Without script: register the build here, then send its zip on the build's own page, or use the <a href="/cli/slipway.mjs" download>uploader</a>.</p></noscript>
</form></upload-build>`

const row = (
  base: string,
  build: Build,
): Html => html`<li class="build"><div class="build-head"><a class="build-version mono" href="${base}/builds/${build.build_id}">${build.version}</a><span>${platformLabel(build.os, build.arch)}</span><span class="soft">${build.channel}${build.app && ` · ${build.app}`}</span>${build.health.band !== 'unrated' && healthBadge(build.health.band)}</div>
<p class="soft build-title">${build.title !== build.version && html`${build.title} · `}${dateTag(build.created_at)}${build.health.devices > 0 && ` · ${formatCount(build.health.devices, 'device')} in 30 days`}${build.symbols > 0 && ` · ${formatCount(build.symbols, 'symbol file')}`}</p>
${build.files.length ? build.files.map((file) => html`<p class="build-file">${scanBadge(file.scan)}<span class="mono">${file.filename}</span><span class="soft">${formatBytes(file.size)}</span>${file.findings && html`<span class="wrong">${file.findings}</span>`}</p>`) : html`<p class="build-file soft">No file yet. <a href="${base}/builds/${build.build_id}#file">Send its zip</a></p>`}</li>`

export async function showBuilds(desk: Desk, filled: Filled) {
  const number = Number(desk.query.page) || 1
  const [builds, channels] = await Promise.all([
    read<Builds>(desk.request, `${desk.api}/builds?page=${number}`),
    readChannels(desk),
  ])
  const scanning = builds.builds.some(({ files }) => files.some(({ scan }) => scan === 'scanning'))
  return roomPage(desk, 'builds', {
    title: 'Builds',
    scripts: ['upload-build.mjs'],
    body: html`<h1>Builds</h1>
${section('upload', 'A new build', newBuild(desk, formOf(filled, 'build', { channel: 'stable', os: 'windows', arch: 'x86_64' })), 'Every zip is looked into and scanned before anyone can download it.')}
${channelParts(desk, filled, channels, builds.builds)}
${section(
  'builds',
  'All builds',
  builds.builds.length
    ? html`<ul class="builds"${scanning && html` data-scanning`}>${builds.builds.map((build) => row(desk.base, build))}</ul>${pager(`${desk.base}/builds`, builds)}`
    : emptyState(
        'Nothing on deck',
        'Upload your first zip above, or let your build machine do it with a deploy key.',
        html`<a class="button button-quiet" href="${desk.base}/settings#deploy-keys">Deploy keys</a>`,
      ),
)}`,
  })
}

export const readBuild = (sent: FormBody) => ({
  ...Object.fromEntries(
    ['version', 'os', 'arch', 'channel', 'title', 'engine_version'].flatMap((name) =>
      fieldValue(sent, name) ? [[name, fieldValue(sent, name)]] : [],
    ),
  ),
  changelog_items: fieldLines(sent, 'changelog').map((title) => ({ title, description: '' })),
})

export const buildsRoutes = [
  deskPage('builds', 'The builds of a project', showBuilds),
  deskForm('builds/register', 'Register a build', {
    form: 'build',
    show: showBuilds,
    send: ({ api }, sent) => ({ method: 'POST', url: `${api}/builds`, body: readBuild(sent) }),
    done: 'Registered. Now send its zip.',
    back: ({ base }, { data }) => `${base}/builds/${data.build_id}#file`,
  }),
]
