import { isUuid } from '../core/security/crypto.ts'
import { decodePath } from './decode-path.ts'

/** What an address on the origin of a game names. */
export type PlayAddress =
  | { kind: 'file'; file_uid: string; path: string }
  /** The address of the game, whatever its newest build is. */
  | { kind: 'game' }
  /** The address of a build without its final slash. */
  | { kind: 'build'; file_uid: string }
  /** The first hop to a build that not everyone may play. */
  | { kind: 'start'; file_uid: string; query: URLSearchParams }

const MAX_ADDRESS = 4096
const START = '.start'

/** In the one spelling that addresses have. */
const isFileUid = (text: string) => isUuid(text) && text === text.toLowerCase()

/**
 * Reads the address of a request; undefined if it can name nothing. Names are compared exactly with
 * those in the zip, so no form of `..` or of another spelling leads anywhere else.
 */
export function readAddress(url: string): PlayAddress | undefined {
  if (url.length > MAX_ADDRESS || !url.startsWith('/')) return undefined
  const [location = '', query = ''] = url.slice(1).split(/\?(.*)/s, 2)
  if (location === '') return { kind: 'game' }
  const slash = location.indexOf('/')
  const first = slash < 0 ? location : location.slice(0, slash)
  const rest = slash < 0 ? undefined : location.slice(slash + 1)
  if (first === START)
    return rest && isFileUid(rest)
      ? { kind: 'start', file_uid: rest, query: new URLSearchParams(query) }
      : undefined
  if (!isFileUid(first)) return undefined
  if (rest === undefined) return { kind: 'build', file_uid: first }
  const path = decodePath(rest)
  return path === undefined ? undefined : { kind: 'file', file_uid: first, path }
}
