import { exits, Failure, UsageError } from '../errors.ts'
import { type Api, type Data, isObject } from '../http/api.ts'
import { later, type Text, t } from '../messages.ts'
import { type BuildResult, platformOf } from './publish.ts'
import type { ScannedFile } from './scan.ts'

/** The channels that players see; dev and custom channels are for the owner and admins. */
type Players = { now: Text; later: (visibility: string) => string }
const players = {
  stable: {
    now: later('available-stable'),
    later: (visibility: string) => t('available-stable-later', { visibility }),
  },
  /** The stable channel of a listing that has a price. */
  paid: {
    now: later('available-paid'),
    later: (visibility: string) => t('available-paid-later', { visibility }),
  },
  beta: {
    now: later('available-beta'),
    later: (visibility: string) => t('available-beta-later', { visibility }),
  },
} satisfies Record<string, Players>

/** Reads who can download a clean file of a build, as a sentence; empty if it is not known. */
export async function readAvailability(
  api: Api,
  build: BuildResult,
  file: ScannedFile,
): Promise<string> {
  return availability(await api.get('/tool/info'), build, file)
}

/**
 * Players get the build that a channel has for their platform, and only if the channel has not
 * expired and they can open the page.
 */
export function availability(
  info: Data,
  { build_id, app = '' }: BuildResult,
  { channel, os, arch }: ScannedFile,
): string {
  const { state, head } = findHead(info, { channel, app, os, arch })
  if (!state || !head) return ''
  if (state.expired) return t('available-expired', { channel })
  if (isObject(head.staged) && head.staged.build_id === build_id)
    return t('available-staged', { channel, percent: String(head.staged.percent) })
  if (head.build_id !== build_id)
    return t('available-other', {
      channel,
      platform: platformOf({ os, arch }),
      version: String(head.version),
    })
  const audience = playersOf(channel, Number(info.price_cents) > 0)
  if (!audience) return t('available-owner')
  const is_released = info.visibility === 'public' || info.visibility === 'invisible'
  return is_released ? audience.now() : audience.later(String(info.visibility))
}

type Place = { channel: string; app: string; os: string; arch: string }

/** A channel, and the build that it has on a platform. */
function findHead(info: Data, { channel, app, os, arch }: Place) {
  const state = list(info.channels).find(
    (other) => other.channel === channel && (other.app ?? '') === app,
  )
  const head = list(state?.heads).find((other) => other.os === os && other.arch === arch)
  return { state, head }
}

/** A build is staged beside the one that the other devices keep. */
export function requireStageable(info: Data, place: Place): void {
  const { head } = findHead(info, place)
  if (!head)
    throw new UsageError(
      t('push-percent-alone', { channel: place.channel, platform: platformOf(place) }),
      t('push-percent-alone-hint'),
    )
  if (!('staged' in head)) throw noStaging()
}

/** Earlier stores would release the build to all devices. */
export const noStaging = () =>
  new Failure(exits.refused, t('server-no-percent'), t('server-no-percent-hint'))

function playersOf(channel: string, is_paid: boolean): Players | undefined {
  if (channel === 'stable') return is_paid ? players.paid : players.stable
  return channel === 'beta' ? players.beta : undefined
}

const list = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isObject) : [])
