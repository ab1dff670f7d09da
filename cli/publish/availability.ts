import { type Api, type Data, isObject } from '../http/api.ts'
import { type BuildResult, platformOf } from './publish.ts'
import type { ScannedFile } from './scan.ts'

/** The channels that players see; dev and custom channels are for the owner and admins. */
const playerAudiences = new Map([
  ['stable', 'players'],
  ['beta', 'players who joined the beta'],
])

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
  if (state.expired) return `the channel ${channel} has expired; promote the build to open it again`
  if (head.build_id !== build_id)
    return (
      `${channel} has another build for ${platformOf({ os, arch })}: ` +
      `version ${String(head.version)}`
    )
  const players = playerAudiences.get(channel)
  if (!players) return 'the owner and admins can download it'
  const is_released = info.visibility === 'public' || info.visibility === 'invisible'
  return is_released
    ? `${players} can download it`
    : `${players} can download it once the page is public; it is ${String(info.visibility)} now`
}

const list = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isObject) : [])
