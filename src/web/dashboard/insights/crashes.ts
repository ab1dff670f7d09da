import { read } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { fieldValue, formMessage } from '../../components/form.ts'
import { dateTimeTag, formatCount, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pager } from '../../components/pager.ts'
import { postButton } from '../../components/secret-field.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'

type GroupBuild = { build_id: string; version: string; os: string; count: number }
type Group = {
  uid: string
  title: string
  status: string
  resolved_in: string | null
  first_seen: string
  last_seen: string
  sample_crash_id: string | null
  count: number
  builds: GroupBuild[]
}
type Frame = {
  module: string
  offset: string
  function?: string
  file?: string
  line?: number
  trust: string
}
type Crash = {
  id: string
  build_id: string
  version: string
  os: string
  arch: string
  user_message: string
  created_at: string
  has_dump: boolean
  has_log: boolean
  has_stack: boolean
}
type WholeCrash = Crash & {
  app_name: string
  app_version: string
  engine_version: string
  analysis: {
    crash_reason?: string
    crash_address?: string
    note?: string
    frames?: Frame[]
    modules?: { name: string; symbols: boolean }[]
  } | null
  stack_excerpt: string | null
  metadata: Record<string, unknown>
}
type Crashes = { items: Crash[]; page: number; page_size: number; total: number }

const versions = (builds: GroupBuild[]) =>
  [...new Set(builds.map(({ version }) => version))].slice(0, 4).join(', ')

const group = (base: string, { uid, title, status, count: times, last_seen, builds }: Group) =>
  html`<li class="crash"><span class="crash-count"><strong>${times.toLocaleString('en')}</strong> ${times === 1 ? 'time' : 'times'}</span><div><a class="crash-title mono" href="${base}/crashes/groups/${uid}">${title || 'Without a name'}</a><p class="soft">in ${versions(builds)} · last ${dateTimeTag(last_seen)}</p></div>${stateBadge(status)}</li>`

export async function showCrashes(desk: Desk, filled: Filled) {
  const { request, api, base, query } = desk
  const of_build = query.build ? `&build_id=${encodeURIComponent(query.build)}` : ''
  const [{ groups }, crashes] = await Promise.all([
    read<{ groups: Group[] }>(request, `${api}/crash-groups`),
    read<Crashes>(request, `${api}/crashes?page=${Number(query.page) || 1}${of_build}`),
  ])
  const here = query.build
    ? groups.filter(({ builds }) => builds.some(({ build_id }) => build_id === query.build))
    : groups
  return roomPage(desk, 'crashes', {
    title: 'Crashes',
    body: html`<h1>Crashes</h1>${formMessage(formOf(filled, 'crash', {}))}${
      here.length + crashes.total === 0
        ? emptyState(
            'No crash reports',
            html`Games send them to <code>/api/v1/public/crashes</code> with the ids of listing and build. With symbols, stacks have names and lines.`,
          )
        : html`${query.build && html`<p class="notice"><span>Only those of one build. <a href="${base}/crashes">Show all</a></span></p>`}
${section('groups', formatCount(here.length, 'group'), html`<ul class="crashes">${here.map((one) => group(base, one))}</ul>`, 'Reports with the same stack are one crash.')}
${section('reports', 'Newest reports', html`${reports(base, crashes.items)}${pager(`${base}/crashes${query.build ? `?build=${query.build}` : ''}`, crashes)}`)}`
    }`,
  })
}

const reports = (base: string, items: Crash[]) =>
  table(
    'Crash reports',
    ['When', 'Build', 'What the player said', 'With'],
    items.map((crash) => [
      html`<a href="${base}/crashes/${crash.id}">${dateTimeTag(crash.created_at)}</a>`,
      html`<span class="mono">${crash.version}</span> <small class="soft">${platformLabel(crash.os, crash.arch)}</small>`,
      crash.user_message || '–',
      [crash.has_dump && 'dump', crash.has_log && 'log', crash.has_stack && 'stack']
        .filter(Boolean)
        .join(', ') || 'nothing',
    ]),
  )

/** The stack as it was read: what we have names for stands out, what was guessed says so. */
const stack = (frames: Frame[]): Html =>
  html`<ol class="stack">${frames.map(({ module, offset, function: name, file, line, trust }) => html`<li class="trust-${trust}"><span class="mono">${name ?? `${module}+${offset}`}</span>${file && html` <small class="soft mono">${file}${line && `:${line}`}</small>`}${!name && html` <small class="soft">no symbols</small>`}${trust === 'scan' && html` <small class="soft">guessed</small>`}</li>`)}</ol>`

export async function showGroup(desk: Desk, filled: Filled) {
  const { request, api, base, params } = desk
  const { groups } = await read<{ groups: Group[] }>(request, `${api}/crash-groups`)
  const found = groups.find(({ uid }) => uid === params.group)
  if (!found) return showCrashes({ ...desk, reply: desk.reply.code(404) }, filled)
  const [crashes, sample] = await Promise.all([
    read<Crashes>(request, `${api}/crashes?group_uid=${found.uid}`),
    found.sample_crash_id
      ? read<WholeCrash>(request, `${api}/crashes/${found.sample_crash_id}`)
      : undefined,
  ])
  const { values } = formOf(filled, 'crash', {})
  return roomPage(desk, 'crashes', {
    title: found.title || 'A crash',
    body: html`<p class="eyebrow"><a href="${base}/crashes">Crashes</a></p><h1 class="mono-title">${found.title || 'Without a name'}</h1>
${formMessage(formOf(filled, 'crash', {}))}
${section(
  'what',
  'What is known',
  html`<div class="row">${stateBadge(found.status)}${found.resolved_in && html`<span class="soft">resolved in ${found.resolved_in}</span>`}</div>
${facts([['Seen', formatCount(found.count, 'time')], ['First', dateTimeTag(found.first_seen)], ['Last', dateTimeTag(found.last_seen)], sample?.analysis?.crash_reason && (['Reason', sample.analysis.crash_reason] as const)])}
${
  found.status === 'resolved'
    ? postButton('Open again', `${base}/crashes/groups/${found.uid}/open`)
    : html`<form class="form line-form" method="post" action="${base}/crashes/groups/${found.uid}/resolve"><div class="field"><label for="f-version">Resolved in version <span class="optional">optional</span></label><input id="f-version" name="version" maxlength="32" value="${String(values.version ?? '')}"><p class="hint">A later build that has it again opens it again.</p></div><button class="button button-ink">Resolve</button></form>`
}`,
)}
${sample?.analysis?.frames && section('stack', 'Stack', stack(sample.analysis.frames), html`Of <a href="${base}/crashes/${sample.id}">one report</a>.`)}
${section(
  'builds',
  'In builds',
  table(
    'In builds',
    ['Build', 'System', 'Times'],
    found.builds.map((one) => [
      html`<a class="mono" href="${base}/builds/${one.build_id}">${one.version}</a>`,
      platformLabel(one.os),
      one.count,
    ]),
  ),
)}
${section('reports', 'Reports', reports(base, crashes.items))}`,
  })
}

export async function showCrash(desk: Desk) {
  const { request, api, base, params } = desk
  const crash = await read<WholeCrash>(
    request,
    `${api}/crashes/${encodeURIComponent(params.crash!)}`,
  )
  const kinds = (['dump', 'log', 'stack'] as const).filter((kind) => crash[`has_${kind}`])
  const links = await Promise.all(
    kinds.map((kind) =>
      read<{ url: string; filename: string }>(
        request,
        `${api}/crashes/${crash.id}/download?kind=${kind}`,
      ),
    ),
  )
  const { analysis } = crash
  return roomPage(desk, 'crashes', {
    title: 'A crash report',
    body: html`<p class="eyebrow"><a href="${base}/crashes">Crashes</a></p><h1>Crash report</h1>
${section(
  'about',
  'What is known',
  html`${crash.user_message && html`<blockquote>${crash.user_message}</blockquote>`}${facts([
    ['When', dateTimeTag(crash.created_at)],
    ['Build', html`<a class="mono" href="${base}/builds/${crash.build_id}">${crash.version}</a>`],
    ['System', platformLabel(crash.os, crash.arch)],
    analysis?.crash_reason && (['Reason', analysis.crash_reason] as const),
    analysis?.crash_address &&
      (['Address', html`<span class="mono">${analysis.crash_address}</span>`] as const),
    analysis?.note && (['Note', analysis.note] as const),
  ])}${links.length > 0 && html`<p class="row">${links.map(({ url, filename }) => html`<a class="button button-quiet button-small" href="${url}" download>${filename}</a>`)}<span class="soft">Links for an hour.</span></p>`}`,
)}
${analysis?.frames && section('stack', 'Stack', stack(analysis.frames))}
${!analysis?.frames && crash.stack_excerpt && section('stack', 'Stack', html`<pre>${crash.stack_excerpt}</pre>`)}
${
  analysis?.modules &&
  section(
    'modules',
    'Modules',
    table(
      'Modules',
      ['Module', 'Symbols'],
      analysis.modules.map(({ name, symbols }) => [
        html`<span class="mono">${name}</span>`,
        symbols ? 'yes' : 'no',
      ]),
    ),
  )
}
${Object.keys(crash.metadata).length > 0 && section('metadata', 'What the game added', facts(Object.entries(crash.metadata).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])))}`,
  })
}

const setStatus = (path: string, status: 'open' | 'resolved', done: string) =>
  deskForm(`crashes/groups/:group/${path}`, `${done} a crash`, {
    form: 'crash',
    show: showGroup,
    send: ({ api, params }, sent) => ({
      method: 'PATCH',
      url: `${api}/crash-groups/${encodeURIComponent(params.group!)}`,
      body: {
        status,
        ...(fieldValue(sent, 'version') ? { version: fieldValue(sent, 'version') } : {}),
      },
    }),
    done,
    back: ({ base, params }) => `${base}/crashes/groups/${params.group}`,
  })

export const crashRoutes = [
  deskPage('crashes', 'The crashes of a project', showCrashes),
  deskPage('crashes/:crash', 'One crash report', showCrash),
  deskPage('crashes/groups/:group', 'One crash', showGroup),
  setStatus('resolve', 'resolved', 'Resolved'),
  setStatus('open', 'open', 'Opened again'),
]
