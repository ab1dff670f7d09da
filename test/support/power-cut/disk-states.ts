import type { Random } from '../../../demo/random.ts'
import {
  type Content,
  contentOf,
  type DataChange,
  type File,
  type Folder,
  type History,
  type NameChange,
  type Node,
  resize,
  type Symlink,
} from './history.ts'

/** Disks write sectors whole, and nothing larger. */
export const SECTOR_BYTES = 512

/** A tree of files as a power cut leaves it. `source` is the file whose bytes these are. */
export type DiskFile = { kind: 'file'; bytes: Buffer; source: File }
export type DiskFolder = { kind: 'folder'; entries: Map<string, DiskNode>; source: Folder }
export type DiskNode = DiskFile | DiskFolder | Symlink

/**
 * What becomes of what was not synced: all of it is lost, all of it is kept, only names are kept,
 * as by a file system that writes names before bytes, or chance decides by name and by sector.
 */
export type Fate = 'lost' | 'kept' | 'names' | Random

/**
 * A state of the disk that is legal if the power goes before a line of the trace. What was synced
 * before is there. Of the rest, names change in any order that keeps the order for each name, and
 * each sector has any of its versions; a file may also have its new size without its new bytes.
 */
export function diskAfterCut(history: History, cut: number, fate: Fate): DiskFolder {
  const applied = survivingNames(history.names, cut, fate)
  const entries = new Map<Folder, Map<string, Node>>()
  const entriesOf = (folder: Folder) => {
    const existing = entries.get(folder)
    if (existing) return existing
    const created = new Map(folder.base)
    entries.set(folder, created)
    return created
  }
  for (const change of applied)
    for (const { folder, name, node } of change.entries)
      if (node) entriesOf(folder).set(name, node)
      else entriesOf(folder).delete(name)
  const files = new Map<File, DiskFile>()
  const build = (node: Node): DiskNode => {
    if (node.kind === 'symlink') return node
    if (node.kind === 'folder') {
      const children = [...entriesOf(node)].map(([name, child]) => [name, build(child)] as const)
      return { kind: 'folder', entries: new Map(children), source: node }
    }
    // Two names of a file have the same bytes.
    const bytes = files.get(node)?.bytes ?? survivingBytes(node, cut, fate)
    const file: DiskFile = { kind: 'file', bytes, source: node }
    files.set(node, file)
    return file
  }
  return build(history.root) as DiskFolder
}

/** The changes of names that are on the disk, in order. */
function survivingNames(names: NameChange[], cut: number, fate: Fate): NameChange[] {
  const begun = names.filter(({ begin }) => begin < cut)
  const before = predecessors(begun)
  const applied = new Set<NameChange>()
  const keep = (change: NameChange) => {
    if (applied.has(change)) return
    applied.add(change)
    for (const earlier of before.get(change)!) keep(earlier)
  }
  for (const change of begun) if (isNameSynced(change, cut)) keep(change)
  for (const change of begun) {
    const survives = typeof fate === 'string' ? fate !== 'lost' : fate() < 0.5
    if (survives && before.get(change)!.every((earlier) => applied.has(earlier)))
      applied.add(change)
  }
  return begun.filter((change) => applied.has(change))
}

/** The changes that cannot be missing if a change is there. */
function predecessors(names: NameChange[]): Map<NameChange, NameChange[]> {
  const last = new Map<Folder, Map<string, NameChange>>()
  const result = new Map<NameChange, NameChange[]>()
  for (const change of names) {
    const earlier = [...change.needs]
    for (const { folder, name } of change.entries) {
      const of_folder = last.get(folder) ?? new Map<string, NameChange>()
      const previous = of_folder.get(name)
      if (previous) earlier.push(previous)
      last.set(folder, of_folder.set(name, change))
    }
    result.set(change, earlier)
  }
  return result
}

/**
 * Whether a change is on the disk for certain. Syncing the folder that a file was moved from says
 * nothing about the folder that it was moved to, so without that the move may be undone.
 */
const isNameSynced = ({ entries, end, needs }: NameChange, cut: number): boolean =>
  entries.some(({ folder }) => folder.syncs.some((sync) => end < sync.begin && sync.end < cut)) &&
  needs.every((needed) => isNameSynced(needed, cut))

function survivingBytes(file: File, cut: number, fate: Fate): Buffer {
  const changes = file.changes.filter(({ begin }) => begin < cut)
  if (!changes.length) return file.base
  const syncs = file.syncs.filter(({ end }) => end < cut)
  const cache = contentOf(file.base)
  const disk = contentOf(file.base)
  const how = typeof fate === 'string' ? fate : fate.pick(fatesOfBytes)
  let dirty: DataChange[] = []
  let next_sync = 0
  const syncUntil = (line: number) => {
    for (; next_sync < syncs.length && syncs[next_sync]!.end < line; next_sync++) {
      const { begin } = syncs[next_sync]!
      const synced = dirty.filter(({ end }) => end < begin)
      for (const change of synced) writeBack(change, cache, disk, () => true)
      if (synced.length) writeBackSize(disk, synced.at(-1)!.size_after)
      dirty = dirty.filter((change) => !synced.includes(change))
    }
  }
  for (const change of changes) {
    syncUntil(change.end)
    applyChange(cache, change)
    dirty.push(change)
    // The kernel may write at any time, so that older versions of a sector can be on the disk.
    if (how === 'torn' && typeof fate !== 'string' && fate() < 0.3)
      writeBack(change, cache, disk, () => fate() < 0.5)
  }
  syncUntil(Number.POSITIVE_INFINITY)
  for (const change of dirty) {
    if (how === 'kept') writeBack(change, cache, disk, () => true)
    if (how === 'torn' && typeof fate !== 'string')
      writeBack(change, cache, disk, () => fate() < 0.5)
  }
  const sizes = dirty.map(({ size_after }) => size_after)
  if (how === 'kept' || how === 'size') writeBackSize(disk, sizes.at(-1) ?? disk.size)
  if (how === 'torn' && typeof fate !== 'string')
    writeBackSize(disk, fate.pick([disk.size, ...sizes]))
  return disk.bytes.subarray(0, disk.size)
}

const fatesOfBytes = ['lost', 'kept', 'size', 'torn', 'torn'] as const

function applyChange(content: Content, change: DataChange): void {
  if ('bytes' in change) {
    resize(content, Math.max(content.size, change.offset + change.bytes.length))
    change.bytes.copy(content.bytes, change.offset)
  } else resize(content, change.size)
}

/** Copies the sectors that a change touched. The size is metadata, and written on its own. */
function writeBack(
  change: DataChange,
  cache: Content,
  disk: Content,
  isWritten: (sector: number) => boolean,
): void {
  if (!('bytes' in change)) return
  const first = Math.floor(change.offset / SECTOR_BYTES)
  const last = Math.ceil((change.offset + change.bytes.length) / SECTOR_BYTES)
  reserve(disk, last * SECTOR_BYTES)
  for (let sector = first; sector < last; sector++)
    if (isWritten(sector)) {
      const start = sector * SECTOR_BYTES
      const end = Math.min(start + SECTOR_BYTES, cache.size)
      if (start < end) cache.bytes.copy(disk.bytes, start, start, end)
    }
}

function reserve(content: Content, bytes: number): void {
  if (bytes <= content.bytes.length) return
  const larger = Buffer.alloc(Math.max(bytes, 2 * content.bytes.length))
  content.bytes.copy(larger)
  content.bytes = larger
}

function writeBackSize(disk: Content, size: number): void {
  reserve(disk, size)
  // What is cut off reads as zeros if the file grows again.
  if (size < disk.size) disk.bytes.fill(0, size)
  disk.size = size
}
