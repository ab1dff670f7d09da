import type { promoteBuild } from '../../../builds/channels/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { joinTexts, listTexts, type Text, t } from '../../../core/text/text.ts'
import { platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { Channel } from './channels.ts'

export type MovedChannel = RouteData<typeof promoteBuild>
type Platform = { os: string; arch: string }

/** What a change of a channel does on one system. */
export type SystemChange = Platform & {
  from_version: string | null
  version: string
  /** Whether the system gets another build. */
  moves: boolean
  /** Whether it stays because it had no build before. */
  is_first?: boolean
}

/** A message that the next page shows has limited room. */
const MAX_NAMED_SYSTEMS = 8

/** The name of a system; its processor is named only where the channel has several. */
const systemLabel = ({ os, arch }: Platform, all: readonly Platform[]): Text =>
  all.filter((platform) => platform.os === os).length > 1
    ? platformLabel(os, arch)
    : platformLabel(os)

function changeText(change: SystemChange, all: readonly SystemChange[]): Text {
  const { from_version, version, moves, is_first } = change
  const system = systemLabel(change, all)
  if (!moves) return t(is_first ? 'channel-stays-first' : 'channel-stays', { system, version })
  return from_version === null
    ? t('channel-gains', { system, version })
    : t('channel-changes', { system, from: from_version, version })
}

/** Each system in words, first those that get another build. */
function changeTexts(changes: readonly SystemChange[]): Text[] {
  const moved_first = changes.toSorted((a, b) => Number(b.moves) - Number(a.moves))
  return moved_first.map((change) => changeText(change, changes))
}

export const changeList = (changes: readonly SystemChange[]): Html => html`
  <ul class="changes">${changeTexts(changes).map((text) => html`<li>${text}</li>`)}</ul>`

/** What a rollback of the channel would do. */
export const rollbackChanges = (channel: Channel): SystemChange[] =>
  channel.heads.map(({ os, arch, version, rollback_to }) => ({
    os,
    arch,
    from_version: version,
    version: rollback_to?.version ?? version,
    moves: rollback_to !== null,
    is_first: rollback_to === null && version === channel.version,
  }))

/** What a rollback did. */
export function rolledBackText({ channel, heads }: MovedChannel): Text {
  const moved = heads.filter(({ build_id, from_build_id }) => build_id !== from_build_id)
  if (heads.length > MAX_NAMED_SYSTEMS)
    return t('channel-rolled-back-many', { channel, count: moved.length })
  const changes = heads.map((head) => ({
    ...head,
    moves: moved.includes(head),
    is_first: !moved.includes(head) && head.version === moved[0]?.from_version,
  }))
  return t('channel-is-back', { channel, changes: joinTexts(changeTexts(changes), '; ') })
}

/** What a promotion did: the systems that have the version, and those that have another. */
export function promotedText({ channel, heads }: MovedChannel, build_id: string): Text {
  const version = heads.find((head) => head.build_id === build_id)?.version ?? ''
  const delivering = heads.filter((head) => head.version === version)
  const others = heads.filter((head) => head.version !== version)
  if (heads.length > MAX_NAMED_SYSTEMS)
    return t('channel-delivers-many', {
      channel,
      version,
      count: delivering.length,
      total: heads.length,
    })
  const systems = listTexts(delivering.map((head) => systemLabel(head, heads)))
  const stay = others.map((head) =>
    t('channel-stays', { system: systemLabel(head, heads), version: head.version }),
  )
  return joinTexts(
    [t('channel-delivers', { channel, version, systems }), joinTexts(stay, '; ')],
    ' ',
  )
}
