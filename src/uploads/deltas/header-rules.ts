import type { DeltaEntry, DeltaHeader, EntrySource } from './format.ts'
import { MAX_PATCHED_BYTES } from './format.ts'

/** Why a delta is refused; the message completes "The delta …". */
export class InvalidDelta extends Error {}

/** How many files a delta may refer to. */
export const MAX_FILES = 64
const SHA256 = /^[0-9a-f]{64}$/
const kinds = ['file', 'folder', 'link']

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Checks what the composer relies on. Names and links are checked with the composed zip. */
export function checkHeader(value: unknown): DeltaHeader {
  const { files, entries } = (value ?? {}) as Partial<DeltaHeader>
  if (
    !Array.isArray(files) ||
    !Array.isArray(entries) ||
    files.length > MAX_FILES ||
    !files.every((file) => typeof file === 'string')
  )
    throw new InvalidDelta('has a header that cannot be read')
  for (const entry of entries) checkEntry(entry, files.length)
  return { files, entries }
}

function checkEntry(entry: DeltaEntry, files: number): void {
  const isSource = (source: EntrySource | undefined) =>
    source === undefined ||
    (Array.isArray(source) &&
      isCount(source[0]) &&
      source[0] < files &&
      typeof source[1] === 'string')
  const is_valid =
    typeof entry?.path === 'string' &&
    kinds.includes(entry.kind) &&
    isCount(entry.size) &&
    SHA256.test(entry.sha256) &&
    isSource(entry.copy) &&
    isSource(entry.base) &&
    (entry.kind === 'file' || isPlain(entry)) &&
    hasContents(entry)
  if (!is_valid) throw new InvalidDelta('has an entry that is not valid')
}

/** A folder, or a link with its target. */
const isPlain = ({ kind, size, target, copy, base, parts, patch }: DeltaEntry) =>
  !copy &&
  !base &&
  !parts &&
  patch === undefined &&
  (kind === 'folder'
    ? size === 0
    : typeof target === 'string' && Buffer.byteLength(target) === size)

/** The parts of an entry have the size of the entry. */
function hasContents({ size, base, parts, patch }: DeltaEntry): boolean {
  if (patch !== undefined)
    return isCount(patch) && base !== undefined && !parts && size <= MAX_PATCHED_BYTES
  if (parts === undefined) return true
  if (!base || !Array.isArray(parts) || parts.length % 3 !== 1 || !parts.every(isCount))
    return false
  const length = parts.reduce((sum, part, index) => sum + (index % 3 === 1 ? 0 : part), 0)
  return length === size
}
