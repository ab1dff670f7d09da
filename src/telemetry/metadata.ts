import { refuse } from '../core/runtime/errors.ts'
import { KIB } from '../core/runtime/units.ts'

export const MAX_KEYS = 64
const MAX_BYTES = 16 * KIB
const MAX_DEPTH = 16

type Fields = Record<string, unknown>
export type Metadata = {
  /** As sent. */
  metadata: Fields
  /** As stored: JSON, without device and session ids. */
  text: string
}

/**
 * Merges and checks the free-form metadata of a sender: its number of keys, depth and size are
 * limited. `path` names the field in an error.
 */
export function readMetadata(
  parts: readonly unknown[],
  path: string,
  max_bytes = MAX_BYTES,
): Metadata | null {
  const objects: unknown[] = []
  for (const part of parts) if (part !== undefined && part !== null) objects.push(part)
  if (objects.length === 0) return null
  if (!objects.every(isObject)) refuse('MALFORMED', undefined, `${path}: must be an object`)
  const metadata: Fields =
    objects.length === 1 ? (objects[0] as Fields) : Object.assign({}, ...(objects as Fields[]))
  const keys = Object.keys(metadata).length
  if (keys > MAX_KEYS)
    refuse(
      'TOO_MANY_EVENTS',
      { keys, max_keys: MAX_KEYS },
      `${path}: ${keys} keys exceed the limit of ${MAX_KEYS}`,
    )
  if (keys === 0) return null
  if (isDeeperThan(metadata, MAX_DEPTH))
    refuse('MALFORMED', undefined, `${path}: must not be nested deeper than ${MAX_DEPTH} levels`)
  const text = JSON.stringify(withoutIds(metadata))
  if (text.length > max_bytes)
    refuse('TOO_MANY_EVENTS', { max_bytes }, `${path}: must be at most ${max_bytes} bytes as JSON`)
  return { metadata, text }
}

/** Device and session ids are stored only as hashes, wherever they were sent. */
export function withoutIds(metadata: Fields): Fields {
  if (!Object.hasOwn(metadata, 'device_uid') && !Object.hasOwn(metadata, 'session_id'))
    return metadata
  const { device_uid: _device, session_id: _session, ...rest } = metadata
  return rest
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Iterates level by level: the sender controls the depth, so recursion could overflow. */
function isDeeperThan(value: object, max_depth: number): boolean {
  let level: object[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= max_depth) return true
    const next: object[] = []
    for (const parent of level)
      for (const name in parent) {
        const child = (parent as Fields)[name]
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    level = next
  }
  return false
}
