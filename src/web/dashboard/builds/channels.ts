import { compareBuildVersions } from '../../../builds/channels/build-order.ts'
import { type listChannels, rollBackChannel } from '../../../builds/channels/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { listTexts, type Text, t } from '../../../core/text/text.ts'
import { callApi } from '../../call.ts'
import { badge, healthBadge } from '../../components/badge.ts'
import { button, formMessage } from '../../components/form.ts'
import { dateTimeTag, platformLabel } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { timeline } from '../../components/timeline.ts'
import { formState, projectForm, renameRefusedField } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'
import type { Build } from './builds.ts'
import { changeList, rollbackChanges, rolledBackText } from './channel-changes.ts'
import { promotionDefaults, promotionFields, promotionNames, promotionRoute } from './promotion.ts'

export type Channel = RouteData<typeof listChannels>['channels'][number]
type ChannelEvent = Channel['history'][number]

/** What happened to the channel, as a sentence about a platform. */
const eventTexts: Record<string, string> = {
  upload: 'channel-moved',
  promote: 'channel-promoted',
  rollback: 'channel-rolled-back',
  delete: 'channel-lost',
  withdraw: 'channel-withdrawn',
  restore: 'channel-restored',
  stage: 'channel-event-staged',
  unstage: 'channel-event-unstaged',
}
const eventTones = {
  upload: 'ok',
  promote: 'ok',
  rollback: 'warn',
  delete: 'bad',
  withdraw: 'warn',
  restore: 'ok',
  stage: 'ok',
  unstage: 'warn',
} as const

/** Players see two channels; `dev` and channels with names of your own are for the project. */
const audiences: Record<string, Text> = {
  stable: t('channel-for-all'),
}

const historyItem = ({ event, os, arch, version, by, percent, at }: ChannelEvent) => ({
  at,
  tone: eventTones[event as keyof typeof eventTones] ?? 'soft',
  text: html`
    ${richText(eventTexts[event] ?? 'channel-changed', {
      platform: platformLabel(os, arch),
      version: version ? html`<span class="mono">${version}</span>` : t('channel-nothing'),
      has_person: by ? 'yes' : 'no',
      person: by ?? '',
      percent: percent ?? 0,
    })}`,
})

const headLine = (base: string, { os, arch, build_id, version }: Channel['heads'][number]) => html`
  <li>
    ${platformLabel(os, arch)}
    <a class="mono" href="${base}/builds/${build_id}">${version}</a>
  </li>`

type Head = Channel['heads'][number]

/** A build that a part of the devices gets: how it does, and the forms that change the part. */
function stagedLine(base: string, channel: Channel, head: Head, builds: readonly Build[]): Html {
  const { staged, os, arch } = head
  if (!staged) return html``
  const { build_id, version, percent } = staged
  const band = builds.find((build) => build.build_id === build_id)?.health.band
  const sendPercent = (control: Html) => html`
    <form class="row" method="post" action="${base}/channels/promote#channels">
      <input type="hidden" name="build_id" value="${build_id}">
      <input type="hidden" name="promote_channel" value="${channel.channel}">
      <input type="hidden" name="expires_in_hours" value="0">
      <input type="hidden" name="confirmed" value="yes">
      ${control}
    </form>`
  const label = t('channel-staged-percent', { version, platform: platformLabel(os, arch) })
  return html`
    <div class="staged">
      <p>
        ${richText('channel-staged-line', {
          platform: platformLabel(os, arch),
          percent,
          version: html`<a class="mono" href="${base}/builds/${build_id}">${version}</a>`,
        })}
        ${band && healthBadge(band)}
      </p>
      ${sendPercent(html`
        <span class="field">
          <input type="number" name="percent" value="${percent}" min="1" max="100" required
            aria-label="${label}">
        </span>
        ${button(t('channel-staged-change'), { kind: 'quiet' })}`)}
      <div class="row">
        ${sendPercent(button(t('channel-staged-all'), { kind: 'ink', name: 'percent', value: '100' }))}
        ${sendPercent(button(t('channel-staged-end'), { kind: 'quiet', name: 'percent', value: '0' }))}
      </div>
    </div>`
}

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

/** The version of the channel; where its systems have different ones, all of them. */
const channelVersions = ({ heads }: Channel): Text =>
  listTexts([...new Set(heads.map(({ version }) => version))].toSorted(compareBuildVersions))

/** Where there is no earlier build, the button is disabled and explains why. */
function rollbackButton(base: string, channel: Channel): Html {
  const { channel: name, app } = channel
  const changes = rollbackChanges(channel)
  if (changes.some(({ moves }) => moves))
    return confirmButton({
      label: t('channel-roll-back'),
      sentence: richText('channel-roll-back-text', { channel: name, strong: strongText }),
      fields: changeList(changes),
      action: `${base}/channels/${name}/rollback?app=${encodeURIComponent(app)}#channels`,
      confirm: t('channel-roll-back-confirm', { channel: name }),
    })
  const id = `no-rollback-${name}${app && `-${app}`}`
  return html`
    <button type="button" class="button button-quiet button-small" disabled
      aria-describedby="${id}">
      ${t('channel-roll-back')}
    </button>
    <span class="hint" id="${id}">${t('channel-roll-back-none')}</span>`
}

function channelCard(base: string, channel: Channel, builds: readonly Build[]): Html {
  const { channel: name, app, heads, history } = channel
  return html`
    <article class="channel">
      <h3>
        ${badge(name, 'ink')} <span class="mono">${channelVersions(channel)}</span>
        ${app && html`<small class="soft">${app}</small>`}
      </h3>
      <p class="soft">${audienceText(channel)}</p>
      <ul class="heads">${heads.map((head) => headLine(base, head))}</ul>
      ${heads.map((head) => stagedLine(base, channel, head, builds))}
      <div class="row">${rollbackButton(base, channel)}</div>
      <details>
        <summary>${t('channel-history')}</summary>
        ${timeline(t('channel-history-of', { channel: name }), history.map(historyItem))}
      </details>
    </article>`
}

/** What each channel delivers, its history, and the forms that promote and roll back. */
export function channelsSubsection(
  { base }: ProjectContext,
  result: FormResult,
  { channels, builds }: { channels: Channel[]; builds: Build[] },
): Html {
  const cards = html`
    <div class="channels">${channels.map((channel) => channelCard(base, channel, builds))}</div>`
  const none = html`<p class="soft">${t('channels-none')}</p>`
  const state = renameRefusedField(formState(result, 'promote', promotionDefaults), {
    channel: 'promote_channel',
  })
  const fields = promotionFields(state, builds)
  const form = html`
    <form class="form" method="post" action="${base}/channels/promote#channels">
      ${fields}
      ${button(t('channel-promote'), { kind: 'ink' })}
    </form>`
  return subsection(
    'channels',
    t('channels'),
    html`
      ${formMessage(formState(result, 'rollback', {}))}
      ${formMessage(state, promotionNames, fields)}
      ${channels.length ? cards : none}
      <h3>${t('channel-promote-title')}</h3>
      ${fields ? form : html`<p class="soft">${t('channel-promote-none')}</p>`}`,
    t('channels-text'),
  )
}

export const channelRoutes = (show: ShowPage) => [
  promotionRoute(show),
  projectForm(
    'channels/:channel/rollback',
    'Roll back a channel',
    ({ request, uid, params, query }) =>
      callApi(request, rollBackChannel, {
        params: { uid, channel: params.channel! },
        query: { app: query.app ?? '' },
      }),
    {
      form: 'rollback',
      show,
      done: (_, data) => rolledBackText(data),
      back: 'builds#channels',
    },
  ),
]
