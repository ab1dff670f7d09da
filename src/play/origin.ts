import { isUuid } from '../core/security/crypto.ts'

/**
 * The origins that games are played on: `https://*.play.example`, with the uid of the game in place
 * of the star. Every game has its own, so that no game reads the cookies and stored data of the
 * store or of another game.
 */
export type PlayOrigins = {
  of(game_uid: string): string
  /** Whether a Host header names an origin of games, also one that no game has, or their parent. */
  includes(host: string | undefined): boolean
  /** The uid of the game whose origin a Host header names. */
  gameOf(host: string | undefined): string | undefined
}

const PORT = /:\d+$/
/** A name with a dot at its end is the same name. */
const nameOf = (host = '') => host.toLowerCase().replace(PORT, '').replace(/\.$/, '')

/** Kept, because every request to the store asks whether it is for a game. */
let latest: { pattern: string; origins: PlayOrigins } | undefined

export function playOrigins(pattern: string): PlayOrigins {
  if (latest?.pattern !== pattern) latest = { pattern, origins: readPattern(pattern) }
  return latest.origins
}

function readPattern(pattern: string): PlayOrigins {
  const suffix = `.${new URL(pattern.replace('*.', '')).hostname}`
  return {
    of: (game_uid) => pattern.replace('*', game_uid),
    includes: (host) => `.${nameOf(host)}`.endsWith(suffix),
    gameOf(host) {
      const name = nameOf(host)
      const label = name.endsWith(suffix) ? name.slice(0, -suffix.length) : ''
      return isUuid(label) ? label : undefined
    },
  }
}
