import { etagMatches } from '../../core/http/file-headers.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { KIB, MIB, MINUTE } from '../../core/runtime/units.ts'

export const MAX_SLOTS = 10
export const MAX_SAVE_BYTES = 5 * MIB
/** The current version of a slot and those before it. */
export const MAX_VERSIONS = 5
export const SLOT_PATTERN = '^[a-z0-9][a-z0-9_-]{0,31}$'

/** One minute plus a second per 64 KiB, so that a phone with a slow connection can finish. */
export const saveSeconds = (bytes: number) =>
  MINUTE + Math.ceil(Math.min(bytes, MAX_SAVE_BYTES) / (64 * KIB))

/** The headers that make a change depend on what is stored. */
export type Preconditions = { 'if-match'?: string; 'if-none-match'?: string }

/** The tag of a version: the SHA-256 of its bytes, which clients can compute too. */
export const etagOf = ({ sha256 }: { sha256: string }) => `"${sha256}"`

/** Refuses a change of a slot that is not as the client expects; without a version it is empty. */
export function checkPreconditions(
  { 'if-match': if_match, 'if-none-match': if_none_match }: Preconditions,
  current: { sha256: string } | undefined,
): void {
  const etag = current && etagOf(current)
  const is_met =
    (if_match === undefined || (etag !== undefined && matchesStrongly(if_match, etag))) &&
    (if_none_match === undefined || etag === undefined || !etagMatches(if_none_match, etag))
  if (!is_met) refuse('SAVE_CHANGED', { etag: etag ?? null })
}

/** A weak tag says that two versions are only alike, so it never allows a change. */
const matchesStrongly = (header: string, etag: string) =>
  header.trim() === '*' || header.split(',').some((candidate) => candidate.trim() === etag)
