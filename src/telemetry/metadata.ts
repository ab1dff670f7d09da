import { refuse } from '../core/errors.ts'

export const MAX_KEYS = 64
export const MAX_METADATA = 16 * 1024
const MAX_DEPTH = 16

type Fields = Record<string, unknown>

/** What a sender adds of their own: bounded in keys, depth and length, and otherwise theirs. `where` names it in a refusal. */
export function readMetadata(parts: readonly unknown[], where: string, max_bytes = MAX_METADATA): Fields | null {
  const given = parts.filter((part) => part !== undefined && part !== null)
  if (!given.every(isObject)) refuse('MALFORMED', undefined, `${where}: must be an object`)
  if (given.length === 0) return null
  const metadata: Fields = given.length === 1 ? (given[0] as Fields) : Object.assign({}, ...(given as Fields[]))
  const keys = Object.keys(metadata).length
  if (keys > MAX_KEYS) refuse('TOO_MANY_EVENTS', { keys, max_keys: MAX_KEYS }, `${where}: at most ${MAX_KEYS} keys; this one has ${keys}`)
  if (keys === 0) return null
  if (deeperThan(metadata, MAX_DEPTH)) refuse('MALFORMED', undefined, `${where}: nested deeper than ${MAX_DEPTH} levels`)
  if (JSON.stringify(metadata).length > max_bytes) refuse('TOO_MANY_EVENTS', { max_bytes }, `${where}: at most ${max_bytes} bytes as JSON`)
  return metadata
}

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without recursion: how deep it goes is the sender's choice. */
function deeperThan(value: unknown, depth: number): boolean {
  let level = [value]
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
