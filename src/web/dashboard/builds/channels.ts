import { read } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import { fieldValue, formMessage } from '../../components/form.ts'
import { dateTimeTag, formatCount, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { timeline } from '../../components/timeline.ts'
import { type Desk, deskForm, type Filled, formOf, type Show, section } from '../project-page.ts'
import type { Build } from './builds.ts'

type Event = {
  event: string
  os: string
  arch: string
  version: string | null
  by: string | null
  at: string
}
export type Channel = {
  channel: string
  app: string
  build_id: string
  version: string
  expires_at: string | null
  expired: boolean
  players?: number
  heads: { os: string; arch: string; build_id: string; version: string }[]
  history: Event[]
}

export const readChannels = async ({ request, api }: Desk) =>
  (await read<{ channels: Channel[] }>(request, `${api}/channels`)).channels

const said: Record<string, string> = {
  upload: 'moved to',
  promote: 'was pointed at',
  rollback: 'went back to',
  delete: 'lost',
}
const tones = { upload: 'ok', promote: 'ok', rollback: 'warn', delete: 'bad' } as const

const audience: Record<string, string> = {
  stable: 'every player',
  beta: 'players who joined the beta',
  dev: 'you and your admins',
}

const oneChannel = (
  { base }: Desk,
  { channel, app, version, expires_at, expired, players, heads, history }: Channel,
): Html => html`<article class="channel">
<h3>${badge(channel, 'ink')} <span class="mono">${version}</span>${app && html` <small class="soft">${app}</small>`}</h3>
<p class="soft">For ${audience[channel] ?? 'whoever chooses it'}${players !== undefined && ` (${formatCount(players, 'player')})`}.${expires_at && html` ${expired ? 'Ended' : 'Ends'} ${dateTimeTag(expires_at)}.`}</p>
<ul class="heads">${heads.map((head) => html`<li>${platformLabel(head.os, head.arch)} <a class="mono" href="${base}/builds/${head.build_id}">${head.version}</a></li>`)}</ul>
<div class="row">${confirmButton({
  label: 'Roll back…',
  sentence: html`Whoever downloads from <strong>${channel}</strong> gets the build before ${version} again. Nothing is deleted, and you can promote it anew.`,
  action: `${base}/channels/${channel}/rollback?app=${encodeURIComponent(app)}`,
  confirm: `Roll ${channel} back`,
})}</div>
<details><summary>History</summary>${timeline(
  `History of ${channel}`,
  history.map(({ event, os, arch, version: to, by, at }) => ({
    at,
    tone: tones[event as keyof typeof tones] ?? 'soft',
    what: html`${platformLabel(os, arch)} ${said[event] ?? event} <span class="mono">${to ?? 'nothing'}</span>${by && html`, by ${by}`}`,
  })),
)}</details></article>`

const promoteForm = ({ base }: Desk, filled: Filled, builds: Build[]): Html => {
  const { values } = formOf(filled, 'promote', { channel: 'stable' })
  const ready = builds.filter(({ files }) => files.some(({ scan }) => scan === 'clean'))
  if (!ready.length)
    return html`<p class="soft">A build can be promoted once its scan is clean.</p>`
  return html`<form class="form line-form" method="post" action="${base}/channels/promote">
<div class="field"><label for="promote-build">Build</label><select id="promote-build" name="build_id">${ready.map((build) => html`<option value="${build.build_id}"${values.build_id === build.build_id && html` selected`}>${build.version} · ${platformLabel(build.os, build.arch)}</option>`)}</select></div>
<div class="field"><label for="promote-channel">Channel</label><input id="promote-channel" name="channel" required value="${String(values.channel ?? '')}"></div>
<div class="field"><label for="promote-hours">Ends after hours</label><input id="promote-hours" name="expires_in_hours" type="number" min="0" max="2160" value="${String(values.expires_in_hours ?? 0)}"><p class="hint">0: never</p></div>
<button class="button button-ink">Promote</button></form>`
}

/** What each channel gives out, how it came there, and the two ways to change it by hand. */
export const channelParts = (
  desk: Desk,
  filled: Filled,
  channels: Channel[],
  builds: Build[],
): Html =>
  section(
    'channels',
    'Channels',
    html`${formMessage(formOf(filled, 'promote', {}))}${channels.length ? html`<div class="channels">${channels.map((channel) => oneChannel(desk, channel))}</div>` : html`<p class="soft">A channel moves to a build by itself when its scan is clean.</p>`}
<h3>Promote a build</h3>${promoteForm(desk, filled, builds)}`,
    'A channel moves forward by itself. Promote and roll back are for when you know better.',
  )

export const channelRoutes = (show: Show) => [
  deskForm('channels/promote', 'Point a channel at a build', {
    form: 'promote',
    show,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/channels/${encodeURIComponent(fieldValue(sent, 'channel').trim() || ' ')}`,
      body: {
        build_id: fieldValue(sent, 'build_id'),
        expires_in_hours: Number(fieldValue(sent, 'expires_in_hours') || 0),
      },
    }),
    done: (_, { data }) => `${data.channel} points at ${data.version}`,
    back: 'builds#channels',
  }),
  deskForm('channels/:channel/rollback', 'Take the release of a channel back', {
    form: 'promote',
    show,
    send: ({ api, params, query }) => ({
      method: 'POST',
      url: `${api}/channels/${encodeURIComponent(params.channel!)}/rollback?app=${encodeURIComponent(query.app ?? '')}`,
    }),
    done: (_, { data }) => `${data.channel} is back at ${data.version}`,
    back: 'builds#channels',
  }),
]
