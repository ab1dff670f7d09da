import type { Addresses } from '../../core/runtime/config.ts'
import { playablePlaces } from '../../listings/fields/web-build.ts'

/** Stands for `web` in the systems of a listing whose build for browsers can be played. */
export const BROWSER = 'browser'

/**
 * What lists say about the systems of the files that players can download. The system of a file
 * that names none is an empty string: it can be downloaded, but is no platform.
 */
export function platformFields(addresses: Addresses, systems: readonly string[]) {
  const is_playable = systems.includes(BROWSER)
  const names = systems.filter((os) => os !== '' && os !== BROWSER)
  return {
    platforms: is_playable && !names.includes('web') ? [...names, 'web'].sort() : names,
    has_browser_build: is_playable || systems.includes('web'),
    has_downloads: systems.some((os) => os !== 'web' && os !== BROWSER),
    playable: playablePlaces(addresses, is_playable),
  }
}
