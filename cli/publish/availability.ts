import { type Api, type Data, isObject } from '../http/api.ts'
import { later, type Text, t } from '../messages.ts'
import { type BuildResult, platformOf } from './publish.ts'
import type { ScannedFile } from './scan.ts'

/** The channels that players see; dev and custom channels are for the owner and admins. */
const playerChannels: Record<string, { now: Text; later: (visibility: string) => string }> = {
  stable: {
    now: later('available-stable'),
    later: (visibility) => t('available-stable-later', { visibility }),
  },
  beta: {
    now: later('available-beta'),
    later: (visibility) => t('available-beta-later', { visibility }),
  },
}

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
  const state = list(info.channels).find(
    (other) => other.channel === channel && (other.app ?? '') === app,
  )
  const head = list(state?.heads).find((other) => other.os === os && other.arch === arch)
  if (!state || !head) return ''
  if (state.expired) return t('available-expired', { channel })
  if (head.build_id !== build_id)
    return t('available-other', {
      channel,
      platform: platformOf({ os, arch }),
      version: String(head.version),
    })
  const players = Object.hasOwn(playerChannels, channel) ? playerChannels[channel] : undefined
  if (!players) return t('available-owner')
  const is_released = info.visibility === 'public' || info.visibility === 'invisible'
  return is_released ? players.now() : players.later(String(info.visibility))
}

const list = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isObject) : [])
