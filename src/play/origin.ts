import { isUuid } from '../core/security/crypto.ts'

/**
 * The origins that games are played on: `https://*.play.example`, with the uid of the game in place
 * of the star. Every game has its own, so that no game reads the cookies and stored data of the
 * store or of another game.
 */
export type PlayOrigins = {
  of(game_uid: string): string
  /** The uid of the game whose origin a Host header names. */
  gameOf(host: string | undefined): string | undefined
}

const STAR = '*.'
const PORT = /:\d+$/

export function playOrigins(pattern: string): PlayOrigins {
  const { hostname } = new URL(pattern.replace(STAR, ''))
  const suffix = `.${hostname}`
  return {
    of: (game_uid) => pattern.replace('*', game_uid),
    gameOf(host = '') {
      const name = host.toLowerCase().replace(PORT, '')
      if (!name.endsWith(suffix)) return undefined
      const label = name.slice(0, -suffix.length)
      return isUuid(label) ? label : undefined
    },
  }
}

/** Whether a Host header names an origin of games, also one that no game has. */
export const isPlayHost = (pattern: string, host: string | undefined): boolean =>
  (host ?? '')
    .toLowerCase()
    .replace(PORT, '')
    .endsWith(`.${new URL(pattern.replace(STAR, '')).hostname}`)
