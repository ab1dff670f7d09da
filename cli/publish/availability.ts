import { type Api, type Data, isObject } from '../http/api.ts'
import type { BuildResult } from './publish.ts'

const audiences: Record<string, string> = {
  stable: 'players',
  beta: 'players who joined the beta',
  dev: 'the owner and admins',
}

/** Reads who can download a build whose file is clean, as a sentence; empty if it is not known. */
export async function readAvailability(api: Api, build: BuildResult): Promise<string> {
  return availability(await api.get('/tool/info'), build)
}

/** Players get the build that a channel points at, and only if they can open the page. */
export function availability(info: Data, build: BuildResult): string {
  const { build_id, channel = 'stable', app = '' } = build
  const heads = Array.isArray(info.channels) ? info.channels.filter(isObject) : []
  const head = heads.find((other) => other.channel === channel && (other.app ?? '') === app)
  const audience = audiences[channel]
  if (!head || !audience) return ''
  if (head.build_id !== build_id)
    return `the newest version on ${channel} is ${String(head.version)}`
  const is_released = info.visibility === 'public' || info.visibility === 'invisible'
  return channel === 'dev' || is_released
    ? `${audience} can download it`
    : `${audience} can download it once the page is public; it is ${String(info.visibility)} now`
}
