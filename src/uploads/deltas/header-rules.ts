import type { DeltaEntry, DeltaHeader, SentEntry } from './format.ts'
import { MAX_PATCHED_BYTES } from './format.ts'

/** Why a delta is refused; the message completes "The delta …". */
export class InvalidDelta extends Error {}

/** How many files a delta may refer to. */
export const MAX_FILES = 64
const SHA256 = /^[0-9a-f]{64}$/
const kinds = ['file', 'folder', 'link']

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

const isHash = (value: unknown) => typeof value === 'string' && SHA256.test(value)

/** PostgreSQL has no zero bytes, and neither has the name of a file. */
const isPath = (value: unknown) => typeof value === 'string' && !value.includes('\0')

/** Checks what the composer relies on. Names and links are checked with the composed zip. */
export function checkHeader(value: unknown): DeltaHeader {
  const { files, entries, tree_sha256 } = (value ?? {}) as Partial<DeltaHeader>
  if (
    !Array.isArray(files) ||
    !Array.isArray(entries) ||
    files.length > MAX_FILES ||
    !files.every((file) => typeof file === 'string') ||
    !isHash(tree_sha256)
  )
    throw new InvalidDelta('has a header that cannot be read')
  for (const entry of entries)
    if (!isValid(entry, files.length)) throw new InvalidDelta('has an entry that is not valid')
  return { files, entries, tree_sha256: tree_sha256! }
}

function isValid(entry: SentEntry, files: number): boolean {
  if (!isPath(entry?.path)) return false
  const isSource = (source: unknown): source is [number, unknown] =>
    Array.isArray(source) && isCount(source[0]) && source[0] < files
  if (entry.copy !== undefined)
    return (
      entry.kind === 'file' &&
      isSource(entry.copy) &&
      (entry.copy[1] === undefined || isPath(entry.copy[1]))
    )
  return (
    kinds.includes(entry.kind) &&
    isCount(entry.size) &&
    isHash(entry.sha256) &&
    (entry.base === undefined || (isSource(entry.base) && isPath(entry.base[1]))) &&
    (entry.kind === 'file' || isPlain(entry)) &&
    hasContents(entry)
  )
}

/** A folder, or a link with its target. */
const isPlain = ({ kind, size, target, base, parts, patch }: DeltaEntry) =>
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
