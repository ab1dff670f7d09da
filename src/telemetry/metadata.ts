import { refuse } from '../core/runtime/errors.ts'

export const MAX_KEYS = 64
export const MAX_METADATA = 16 * 1024
const MAX_DEPTH = 16

type Fields = Record<string, unknown>
/** As it was sent, and as the text it is kept as, without ids. */
export type Metadata = { metadata: Fields; text: string }

/** What a sender adds of their own: bounded in keys, depth and length, and otherwise theirs. `where` names it in a refusal. */
export function readMetadata(
  parts: readonly unknown[],
  where: string,
  max_bytes = MAX_METADATA,
): Metadata | null {
  const given: unknown[] = []
  for (const part of parts) if (part !== undefined && part !== null) given.push(part)
  if (given.length === 0) return null
  if (!given.every(isObject)) refuse('MALFORMED', undefined, `${where}: must be an object`)
  const metadata: Fields =
    given.length === 1 ? (given[0] as Fields) : Object.assign({}, ...(given as Fields[]))
  const keys = Object.keys(metadata).length
  if (keys > MAX_KEYS)
    refuse(
      'TOO_MANY_EVENTS',
      { keys, max_keys: MAX_KEYS },
      `${where}: at most ${MAX_KEYS} keys; this one has ${keys}`,
    )
  if (keys === 0) return null
  if (deeperThan(metadata, MAX_DEPTH))
    refuse('MALFORMED', undefined, `${where}: nested deeper than ${MAX_DEPTH} levels`)
  const kept = withoutIds(metadata)
  const text = JSON.stringify(kept)
  if (text.length > max_bytes)
    refuse('TOO_MANY_EVENTS', { max_bytes }, `${where}: at most ${max_bytes} bytes as JSON`)
  return { metadata, text }
}

/** Ids of devices and runs are kept as hashes only, wherever they were sent. */
export function withoutIds(metadata: Fields): Fields {
  if (!Object.hasOwn(metadata, 'device_uid') && !Object.hasOwn(metadata, 'session_id'))
    return metadata
  const { device_uid: _device, session_id: _session, ...kept } = metadata
  return kept
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Level by level, without recursion: how deep it goes is the sender's choice. */
function deeperThan(value: object, depth: number): boolean {
  let level: object[] = [value]
  for (let at = 0; level.length > 0; at++) {
    if (at >= depth) return true
    const next: object[] = []
    for (const one of level)
      for (const name in one) {
        const inner = (one as Fields)[name]
        if (typeof inner === 'object' && inner !== null) next.push(inner)
      }
    level = next
  }
  return false
}
