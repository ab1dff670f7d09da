import {
  type listChannels,
  promoteBuild,
  rollBackChannel,
} from '../../../builds/channels/routes.ts'
import { MAX_PROMOTION_HOURS } from '../../../builds/limits.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { callApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import { fieldValue, formMessage, optionTags } from '../../components/form.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { timeline } from '../../components/timeline.ts'
import { formState, projectForm } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'
import type { Build } from './builds.ts'

type Channel = RouteData<typeof listChannels>['channels'][number]
type ChannelEvent = Channel['history'][number]

/** What happened to the channel, as a sentence about a platform. */
const eventTexts: Record<string, string> = {
  upload: 'channel-moved',
  promote: 'channel-promoted',
  rollback: 'channel-rolled-back',
  delete: 'channel-lost',
}
const eventTones = { upload: 'ok', promote: 'ok', rollback: 'warn', delete: 'bad' } as const

/** Players see two channels; `dev` and channels with names of your own are for the project. */
const audiences: Record<string, Text> = {
  stable: t('channel-for-all'),
}

const historyItem = ({ event, os, arch, version, by, at }: ChannelEvent) => ({
  at,
  tone: eventTones[event as keyof typeof eventTones] ?? 'soft',
  text: html`
    ${richText(eventTexts[event] ?? 'channel-changed', {
      platform: platformLabel(os, arch),
      version: version ? html`<span class="mono">${version}</span>` : t('channel-nothing'),
      has_person: by ? 'yes' : 'no',
      person: by ?? '',
    })}`,
})

const headLine = (base: string, { os, arch, build_id, version }: Channel['heads'][number]) => html`
  <li>
    ${platformLabel(os, arch)}
    <a class="mono" href="${base}/builds/${build_id}">${version}</a>
  </li>`

function audienceText({ channel, players, expires_at, expired }: Channel): Html {
  const audience =
    channel === 'beta'
      ? t('channel-for-beta', { count: players ?? 0 })
      : (audiences[channel] ?? t('channel-for-team'))
  const expiry =
    expires_at &&
    richText(expired ? 'channel-expired' : 'channel-expires', { date: dateTimeTag(expires_at) })
  return html`${audience} ${expiry}`
}

function channelCard(base: string, channel: Channel): Html {
  const { channel: name, app, version, heads, history } = channel
  return html`
    <article class="channel">
      <h3>
        ${badge(name, 'ink')} <span class="mono">${version}</span>
        ${app && html`<small class="soft">${app}</small>`}
      </h3>
      <p class="soft">${audienceText(channel)}</p>
      <ul class="heads">${heads.map((head) => headLine(base, head))}</ul>
      <div class="row">
        ${confirmButton({
          label: t('channel-roll-back'),
          sentence: richText('channel-roll-back-text', {
            channel: name,
            version,
            strong: strongText,
          }),
          action: `${base}/channels/${name}/rollback?app=${encodeURIComponent(app)}`,
          confirm: t('channel-roll-back-confirm', { channel: name }),
        })}
      </div>
      <details>
        <summary>${t('channel-history')}</summary>
        ${timeline(t('channel-history-of', { channel: name }), history.map(historyItem))}
      </details>
    </article>`
}

function promoteForm(base: string, result: FormResult, builds: Build[]): Html {
  const { values } = formState(result, 'promote', { channel: 'stable' })
  const clean = builds.filter(({ files }) => files.some(({ scan }) => scan === 'clean'))
  if (!clean.length) return html`<p class="soft">${t('channel-promote-none')}</p>`
  const options = clean.map(({ build_id, version, os, arch }) => ({
    value: build_id,
    label: joinTexts([version, platformLabel(os, arch)], ' · '),
  }))
  return html`
    <form class="form line-form" method="post" action="${base}/channels/promote">
      <div class="field">
        <label for="promote-build">${t('column-build')}</label>
        <select id="promote-build" name="build_id">
          ${optionTags(options, values.build_id)}
        </select>
      </div>
      <div class="field">
        <label for="promote-channel">${t('channel')}</label>
        <input id="promote-channel" name="channel" required value="${String(values.channel ?? '')}">
      </div>
      <div class="field">
        <label for="promote-hours">${t('channel-expires-after')}</label>
        <input id="promote-hours" name="expires_in_hours" type="number" min="0"
          max="${MAX_PROMOTION_HOURS}"
          value="${String(values.expires_in_hours ?? 0)}">
        <p class="hint">${t('channel-expires-hint')}</p>
      </div>
      <button class="button button-ink">${t('channel-promote')}</button>
    </form>`
}

/** What each channel delivers, its history, and the forms that promote and roll back. */
export function channelsSubsection(
  { base }: ProjectContext,
  result: FormResult,
  { channels, builds }: { channels: Channel[]; builds: Build[] },
): Html {
  const cards = html`
    <div class="channels">${channels.map((channel) => channelCard(base, channel))}</div>`
  const none = html`<p class="soft">${t('channels-none')}</p>`
  return subsection(
    'channels',
    t('channels'),
    html`
      ${formMessage(formState(result, 'promote', {}))}
      ${channels.length ? cards : none}
      <h3>${t('channel-promote-title')}</h3>
      ${promoteForm(base, result, builds)}`,
    t('channels-text'),
  )
}

export const channelRoutes = (show: ShowPage) => [
  projectForm(
    'channels/promote',
    'Promote a build to a channel',
    ({ request, uid }, sent) => {
      // An empty channel would address another route; the API refuses a blank one by name.
      const channel = fieldValue(sent, 'channel').trim() || ' '
      const body = {
        build_id: fieldValue(sent, 'build_id'),
        expires_in_hours: Number(fieldValue(sent, 'expires_in_hours') || 0),
      }
      return callApi(request, promoteBuild, { params: { uid, channel }, body })
    },
    {
      form: 'promote',
      show,
      done: (_, { channel, version }) => t('channel-delivers', { channel, version }),
      back: 'builds#channels',
    },
  ),
  projectForm(
    'channels/:channel/rollback',
    'Roll back a channel',
    ({ request, uid, params, query }) =>
      callApi(request, rollBackChannel, {
        params: { uid, channel: params.channel! },
        query: { app: query.app ?? '' },
      }),
    {
      form: 'promote',
      show,
      done: (_, { channel, version }) => t('channel-is-back', { channel, version }),
      back: 'builds#channels',
    },
  ),
]
