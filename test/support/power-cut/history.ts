import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Operation } from './trace.ts'

/** When something happened, as lines of the trace. */
export type Span = { begin: number; end: number }

export type DataChange = Span &
  ({ offset: number; bytes: Buffer } | { size: number }) & { size_after: number }
export type File = {
  kind: 'file'
  /** The bytes before the recording, which are on the disk. */
  base: Buffer
  /** What programs read at the end of the recording. */
  content: Content
  changes: DataChange[]
  syncs: Span[]
  mode: number
}
export type Folder = {
  kind: 'folder'
  base: Map<string, Node>
  entries: Map<string, Node>
  syncs: Span[]
  mode: number
}
export type Symlink = { kind: 'symlink'; target: string }
export type Node = File | Folder | Symlink

/**
 * A change of names. A rename inside a folder is atomic; one between folders is an addition and a
 * removal, which needs the addition. So a file may have both names after a power cut, never none.
 */
export type NameChange = Span & {
  entries: { folder: Folder; name: string; node: Node | undefined }[]
  needs: NameChange[]
}

/** Everything that happened below a folder, by file and by name. */
export type History = { root: Folder; names: NameChange[]; lines: number }

/** Bytes that grow. */
export type Content = { bytes: Buffer; size: number }

export function writeAt(content: Content, offset: number, bytes: Buffer): void {
  resize(content, Math.max(content.size, offset + bytes.length))
  bytes.copy(content.bytes, offset)
}

export function resize(content: Content, size: number): void {
  if (size > content.bytes.length) {
    const larger = Buffer.alloc(Math.max(size, 2 * content.bytes.length))
    content.bytes.copy(larger, 0, 0, content.size)
    content.bytes = larger
  }
  if (size < content.size) content.bytes.fill(0, size, content.size)
  content.size = size
}

export const contentOf = (bytes: Buffer): Content => ({
  bytes: Buffer.from(bytes),
  size: bytes.length,
})

const newFolder = (mode: number): Folder => ({
  kind: 'folder',
  base: new Map(),
  entries: new Map(),
  syncs: [],
  mode,
})
const newFile = (base: Buffer, mode: number): File => ({
  kind: 'file',
  base,
  content: contentOf(base),
  changes: [],
  syncs: [],
  mode,
})

/** The files of a folder as they are, all of them on the disk. */
export function readTree(path: string): Folder {
  const folder = newFolder(0o700)
  if (!existsSync(path)) return folder
  for (const name of readdirSync(path)) {
    const stats = lstatSync(join(path, name))
    const child = stats.isDirectory()
      ? readTree(join(path, name))
      : stats.isSymbolicLink()
        ? ({ kind: 'symlink', target: readlinkSync(join(path, name)) } as const)
        : stats.isFile()
          ? newFile(readFileSync(join(path, name)), stats.mode & 0o777)
          : undefined
    if (child) folder.base.set(name, child)
  }
  folder.entries = new Map(folder.base)
  return folder
}

/** Follows operations below `root_path`, which had the files of `root` before. */
export function followOperations(
  operations: Operation[],
  root_path: string,
  root: Folder,
): History {
  const names: NameChange[] = []
  const offsets = new Map<File, Map<number, number>>()
  let lines = 0

  function find(path: string): Node | undefined {
    const inside = relative(root_path, path)
    let node: Node | undefined = root
    for (const name of inside === '' ? [] : inside.split('/'))
      node = node?.kind === 'folder' ? node.entries.get(name) : undefined
    return node
  }
  const folderAbove = (path: string) => find(dirname(path)) as Folder | undefined

  function setName(span: Span, path: string, node: Node | undefined, needs: NameChange[] = []) {
    const folder = folderAbove(path)
    const name = basename(path)
    if (!folder) throw new Error(`the recording has no folder of ${path}`)
    if (node) folder.entries.set(name, node)
    else folder.entries.delete(name)
    const change = { begin: span.begin, end: span.end, entries: [{ folder, name, node }], needs }
    names.push(change)
    return change
  }

  function change(
    file: File,
    span: Span,
    data: { offset: number; bytes: Buffer } | { size: number },
  ) {
    if ('bytes' in data) writeAt(file.content, data.offset, data.bytes)
    else resize(file.content, data.size)
    const { begin, end } = span
    file.changes.push({ begin, end, ...data, size_after: file.content.size })
  }

  /** A call without an offset continues where the last one ended, or appends. */
  function append(file: File, fd: number, span: Span, bytes: Buffer) {
    const known = offsets.get(file)
    const offset = known?.get(fd) ?? file.content.size
    change(file, span, { offset, bytes })
    if (known?.has(fd)) known.set(fd, offset + bytes.length)
  }

  function rename(span: Span, from: string, path: string) {
    const node = find(from)
    if (!node) throw new Error(`the recording has no ${from}, which was renamed`)
    // Two names of the same file: nothing happens.
    if (node.kind === 'file' && find(path) === node) return
    const added = setName(span, path, node)
    if (dirname(from) !== dirname(path)) setName(span, from, undefined, [added])
    else {
      const folder = folderAbove(from)!
      folder.entries.delete(basename(from))
      added.entries.push({ folder, name: basename(from), node: undefined })
    }
  }

  for (const operation of operations) {
    lines = Math.max(lines, operation.begin + 1)
    const { path } = operation
    const node = find(path)
    const file = node?.kind === 'file' ? node : undefined
    switch (operation.kind) {
      case 'open': {
        if (node && !file) break
        const opened = file ?? newFile(Buffer.alloc(0), operation.mode)
        if (!file) setName(operation, path, opened)
        else if (operation.truncates && file.content.size) change(file, operation, { size: 0 })
        offsets.set(opened, (offsets.get(opened) ?? new Map()).set(operation.fd, 0))
        break
      }
      case 'write':
        if (!file) break
        if (operation.offset === undefined) append(file, operation.fd, operation, operation.bytes)
        else change(file, operation, { offset: operation.offset, bytes: operation.bytes })
        break
      case 'copy': {
        const source = find(operation.from)
        if (!file || source?.kind !== 'file') throw new Error(`unknown source of a copy to ${path}`)
        const { content } = source
        const start = file.content.size
        append(
          file,
          operation.fd,
          operation,
          Buffer.from(content.bytes.subarray(start, start + operation.length)),
        )
        break
      }
      case 'truncate':
        if (file) change(file, operation, { size: operation.size })
        break
      case 'extend':
        if (file && operation.size > file.content.size)
          change(file, operation, { size: operation.size })
        break
      case 'sync':
        if (node && node.kind !== 'symlink')
          node.syncs.push({ begin: operation.begin, end: operation.end })
        break
      case 'make-folder':
        setName(operation, path, newFolder(operation.mode))
        break
      case 'rename':
        rename(operation, operation.from, path)
        break
      case 'link':
        setName(operation, path, find(operation.from))
        break
      case 'symlink':
        setName(operation, path, { kind: 'symlink', target: operation.target })
        break
      case 'unlink':
        setName(operation, path, undefined)
        break
    }
  }
  return { root, names, lines }
}
