import { read } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { fieldValue, formMessage } from '../../components/form.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { postButton } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'
import type { Ticket } from './bugs.ts'

type Groups = { groups: { uid: string; title: string }[] }

const fixForm = (
  { base }: Desk,
  { bug_uid }: Ticket,
  typed: unknown,
) => html`<form class="form line-form" method="post" action="${base}/bugs/${bug_uid}/fixed">
<div class="field"><label for="f-fixed_version">Fixed in version <span class="optional">optional</span></label><input id="f-fixed_version" name="fixed_version" maxlength="64" value="${String(typed ?? '')}"><p class="hint">Whoever reported it is told.</p></div><button class="button button-primary">Mark as fixed</button></form>`

const crashForm = (
  { base }: Desk,
  { bug_uid, crash_group }: Ticket,
  { groups }: Groups,
) => html`<form class="form line-form" method="post" action="${base}/bugs/${bug_uid}/crash">
<div class="field"><label for="f-crash_group_uid">The crash it is about</label><select id="f-crash_group_uid" name="crash_group_uid"><option value="">None</option>${groups.map(({ uid, title }) => html`<option value="${uid}"${crash_group?.uid === uid && html` selected`}>${title}</option>`)}</select></div><button class="button button-quiet">Save</button></form>`

export async function showBug(desk: Desk, filled: Filled) {
  const { request, api, base, params } = desk
  const [ticket, groups] = await Promise.all([
    read<Ticket & { log: string | null }>(
      request,
      `${api}/bugs/${encodeURIComponent(params.bug!)}`,
    ),
    read<Groups>(request, `${api}/crash-groups`),
  ])
  const { status, bug_uid } = ticket
  return roomPage(desk, 'bugs', {
    title: 'A bug',
    body: html`<p class="eyebrow"><a href="${base}/bugs">Bugs</a></p><h1>Ticket ${stateBadge(status)}</h1>${formMessage(formOf(filled, 'bug', {}))}
${section(
  'report',
  'What was reported',
  html`<blockquote class="pre">${ticket.message}</blockquote>
${ticket.has_screenshot && html`<a href="${api}/bugs/${bug_uid}/screenshot"><img class="bug-shot" src="${api}/bugs/${bug_uid}/screenshot" alt="The screenshot that came with the report"></a>`}
${facts([
  [
    'By',
    ticket.reporter.user?.username ??
      html`external account <span class="mono">${ticket.reporter.extstore_id}</span>`,
  ],
  ['When', dateTimeTag(ticket.created_at)],
  [
    'Version',
    ticket.build
      ? html`<a class="mono" href="${base}/builds/${ticket.build.build_id}">${ticket.build.version}</a>`
      : (ticket.client_version ?? 'not said'),
  ],
  ['System', ticket.os ? platformLabel(ticket.os, ticket.arch ?? '') : 'not said'],
  ['Came from', ticket.source === 'game' ? 'inside the game' : 'the store'],
  ticket.fixed_at &&
    ([
      'Fixed',
      html`${dateTimeTag(ticket.fixed_at)}${ticket.fixed_version && ` in ${ticket.fixed_version}`}${ticket.acknowledged_at ? ', and they know' : ', not read yet'}`,
    ] as const),
])}`,
)}
${ticket.log && section('log', 'Log', html`<pre class="log" tabindex="0">${ticket.log}</pre>`)}
${section('triage', 'What now', html`${status !== 'fixed' && fixForm(desk, ticket, formOf(filled, 'bug', {}).values.fixed_version)}<div class="row">${status !== 'open' && postButton('Open again', `${base}/bugs/${bug_uid}/open`)}${status !== 'closed' && postButton('Close without a word', `${base}/bugs/${bug_uid}/closed`)}</div>${groups.groups.length > 0 && crashForm(desk, ticket, groups)}`)}`,
  })
}

const change = (
  path: string,
  body: (sent: Parameters<typeof fieldValue>[0]) => object,
  done: string,
) =>
  deskForm(`bugs/:bug/${path}`, `${done}: a bug ticket`, {
    form: 'bug',
    show: showBug,
    send: ({ api, params }, sent) => ({
      method: 'PATCH',
      url: `${api}/bugs/${encodeURIComponent(params.bug!)}`,
      body: body(sent),
    }),
    done,
    back: ({ base, params }) => `${base}/bugs/${params.bug}`,
  })

export const bugRoutes = [
  deskPage('bugs/:bug', 'One bug ticket', showBug),
  change(
    'fixed',
    (sent) => ({
      status: 'fixed',
      ...(fieldValue(sent, 'fixed_version')
        ? { fixed_version: fieldValue(sent, 'fixed_version') }
        : {}),
    }),
    'Fixed',
  ),
  change('open', () => ({ status: 'open' }), 'Opened again'),
  change('closed', () => ({ status: 'closed' }), 'Closed'),
  change(
    'crash',
    (sent) => ({ crash_group_uid: fieldValue(sent, 'crash_group_uid') || null }),
    'Saved',
  ),
]
