import { resolve } from 'node:path'

/**
 * What a program did to files, from the output of `strace -f -y -xx`. `begin` and `end` are the
 * lines on which a system call began and ended, so a call that ended before another began happened
 * before it. A call that never ended has the end Infinity.
 */
export type Operation = { begin: number; end: number } & Action
export type Action =
  | { kind: 'open'; path: string; fd: number; creates: boolean; truncates: boolean; mode: number }
  | { kind: 'write'; path: string; fd: number; offset: number | undefined; bytes: Buffer }
  | { kind: 'copy'; from: string; path: string; fd: number; length: number }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'extend'; path: string; size: number }
  | { kind: 'sync'; path: string }
  | { kind: 'make-folder'; path: string; mode: number }
  | { kind: 'rename'; from: string; path: string }
  | { kind: 'link'; from: string; path: string }
  | { kind: 'symlink'; target: string; path: string }
  | { kind: 'unlink'; path: string }

/** The calls that change files, and those that change what a relative path means. */
export const tracedCalls = [
  ...['open', 'openat', 'openat2', 'creat'],
  ...['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'copy_file_range', 'sendfile'],
  ...['ftruncate', 'truncate', 'fallocate', 'fsync', 'fdatasync'],
  ...['mkdir', 'mkdirat', 'rename', 'renameat', 'renameat2', 'link', 'linkat'],
  ...['symlink', 'symlinkat', 'unlink', 'unlinkat', 'rmdir'],
  ...['chdir', 'clone', 'clone3', 'fork', 'vfork'],
]

type Call = { pid: string; name: string; text: string; begin: number; end: number }

/** The operations on files below a folder, in the order in which they ended. */
export function parseTrace(trace: Buffer, root: string): Operation[] {
  const folderOf = workingFolders(trace)
  const operations: Operation[] = []
  for (const call of readCalls(trace)) {
    const action = readAction(call, folderOf)
    const { path } = action ?? {}
    if (!action || !(path === root || path?.startsWith(`${root}/`))) continue
    operations.push({ begin: call.begin, end: call.end, ...action })
  }
  // Calls that never ended come last.
  return operations.sort((a, b) => (a.end === b.end ? a.begin - b.begin : a.end - b.end))
}

/** Joins the halves of calls that were interrupted by those of other threads. */
function* readCalls(trace: Buffer): Generator<Call> {
  const pending = new Map<string, Call>()
  for (const { number, line } of readLines(trace)) {
    const [head = '', pid = ''] = /^(\d+)\s+/.exec(line.slice(0, 20)) ?? []
    const text = line.slice(head.length)
    const unfinished = text.lastIndexOf(' <unfinished ...>')
    const begun = pending.get(pid)
    if (text.startsWith('<... ') && begun) {
      const rest = text.slice(text.indexOf(' resumed>') + ' resumed>'.length)
      pending.delete(pid)
      yield { ...begun, text: begun.text + rest, end: number }
    } else if (/^\w+\(/.test(text.slice(0, 30))) {
      const name = text.slice(0, text.indexOf('('))
      const is_complete = unfinished < 0
      const call = {
        pid,
        name,
        text: is_complete ? text : text.slice(0, unfinished),
        begin: number,
      }
      if (is_complete) yield { ...call, end: number }
      else pending.set(pid, { ...call, end: Number.POSITIVE_INFINITY })
    }
  }
  // The program ended during these: they may or may not have had an effect.
  yield* pending.values()
}

function* readLines(trace: Buffer): Generator<{ number: number; line: string }> {
  let start = 0
  for (let number = 0; start < trace.length; number++) {
    const newline = trace.indexOf(10, start)
    const end = newline < 0 ? trace.length : newline
    yield { number, line: trace.toString('latin1', start, end) }
    start = end + 1
  }
}

type WorkingFolder = (pid: string, line: number) => string

/** A process starts in the working folder of the process that made it. */
function workingFolders(trace: Buffer): WorkingFolder {
  const parents = new Map<string, string>()
  const changes = new Map<string, { line: number; folder: string }[]>()
  for (const { pid, name, text, end } of readCalls(trace)) {
    const child = /^(clone3?|v?fork)$/.test(name) && /= (\d+)/.exec(text)?.[1]
    if (child) parents.set(child, pid)
    if (name !== 'chdir' || !/= 0$/.test(text)) continue
    const folder = stringsIn(text)[0]!.text
    changes.set(pid, [...(changes.get(pid) ?? []), { line: end, folder }])
  }
  const folderOf: WorkingFolder = (pid, line) => {
    const last = changes.get(pid)?.findLast((change) => change.line < line)
    const parent = parents.get(pid)
    const inherited = parent && !last?.folder.startsWith('/') ? folderOf(parent, line) : '/'
    return resolve(inherited, last?.folder ?? '')
  }
  return folderOf
}

/** A quoted string, and the folder it is relative to if the call has one. */
type Argument = { text: string; folder: string | undefined }
const ARGUMENT = /(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"/g

const stringsIn = (text: string): Argument[] =>
  [...text.matchAll(ARGUMENT)].map(([, folder, string]) => ({
    text: decode(string!).toString(),
    folder: folder === undefined ? undefined : decode(folder).toString(),
  }))

/** Bytes as strace writes them with -xx: \x68\x69. */
function decode(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex')
}

const writes = new Set(['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2'])
const atOffset = new Set(['pwrite64', 'pwritev', 'pwritev2'])

function readAction(call: Call, folderOf: WorkingFolder): Action | undefined {
  const { name, text, pid, begin, end } = call
  const result = Number(/ = (-?\d+)[^=]*$/.exec(text.slice(-4300))?.[1] ?? Number.NaN)
  // A call that never ended has no result; a write may have happened.
  if (end !== Number.POSITIVE_INFINITY && !(result >= 0)) return undefined
  const paths = () =>
    stringsIn(text).map(({ text, folder }) => resolve(folder ?? folderOf(pid, begin), text))
  if (writes.has(name)) return readWrite(call, result)
  const file = openFile(text)
  switch (name) {
    case 'fsync':
    case 'fdatasync':
      // One that never ended promises nothing.
      return file && end !== Number.POSITIVE_INFINITY
        ? { kind: 'sync', path: file.path }
        : undefined
    case 'ftruncate':
      return file && { kind: 'truncate', path: file.path, size: numberAt(text, 0) }
    case 'truncate':
      return { kind: 'truncate', path: paths()[0]!, size: numberAt(text, 0) }
    case 'fallocate':
      // With FALLOC_FL_KEEP_SIZE it changes nothing that can be read.
      return file && /, 0, \d+, \d+\)/.test(text)
        ? { kind: 'extend', path: file.path, size: numberAt(text, 0) + numberAt(text, 1) }
        : undefined
    case 'copy_file_range':
    case 'sendfile':
      return readCopy(name, text, result)
    case 'open':
    case 'openat':
    case 'openat2':
    case 'creat':
      return readOpen(name, text, result)
    case 'mkdir':
    case 'mkdirat':
      return { kind: 'make-folder', path: paths()[0]!, mode: modeIn(text) }
    case 'rename':
    case 'renameat':
    case 'renameat2':
      return { kind: 'rename', from: paths()[0]!, path: paths()[1]! }
    case 'link':
    case 'linkat':
      return { kind: 'link', from: paths()[0]!, path: paths()[1]! }
    case 'symlink':
    case 'symlinkat':
      return readSymlink(text, folderOf(pid, begin))
    case 'unlink':
    case 'unlinkat':
    case 'rmdir':
      return { kind: 'unlink', path: paths()[0]! }
    default:
      return undefined
  }
}

/** The open file that a call is about, unless it has no name any more. */
function openFile(text: string): { fd: number; path: string } | undefined {
  const [match, fd, hex] = /^\w+\((\d+)<([^>]*)>/.exec(text.slice(0, 20_000)) ?? []
  if (!match || text.startsWith('(deleted)', match.length)) return undefined
  return { fd: Number(fd), path: decode(hex!).toString() }
}

/** The numbers at the end of the arguments, counted from the last. */
function numberAt(text: string, from_last: number): number {
  const args = /((?:, \d+)+)\)\s*(?:=|$)/.exec(text.slice(-4300))?.[1] ?? ''
  return Number(args.split(', ').at(-1 - from_last))
}

const modeIn = (text: string) => Number.parseInt(/, (0\d+)\)/.exec(text)?.[1] ?? '0', 8)

function readWrite({ name, text }: Call, result: number): Action | undefined {
  const file = openFile(text)
  if (!file) return undefined
  const parts: Buffer[] = []
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = text.indexOf('"', at + 1)
    if (text.startsWith('...', end + 1)) throw new Error('the trace has only a part of a write')
    parts.push(decode(text.slice(at + 1, end)))
    at = text.indexOf('"', end + 1)
  }
  const bytes = Buffer.concat(parts)
  const flags = name === 'pwritev2' ? 1 : 0
  return {
    kind: 'write',
    ...file,
    offset: atOffset.has(name) ? numberAt(text, flags) : undefined,
    bytes: bytes.subarray(0, Number.isNaN(result) ? bytes.length : result),
  }
}

function readCopy(name: string, text: string, length: number): Action | undefined {
  const files = [...text.matchAll(/(\d+)<([^>]*)>/g)].map(([, fd, hex]) => ({
    fd: Number(fd),
    path: decode(hex!).toString(),
  }))
  const [first, second] = files
  if (!first || !second || !(length > 0)) return undefined
  const [from, to] = name === 'sendfile' ? [second, first] : [first, second]
  return { kind: 'copy', from: from.path, ...to, length }
}

function readOpen(name: string, text: string, fd: number): Action | undefined {
  const opened = /= \d+<([^>]*)>/.exec(text)?.[1]
  const is_creat = name === 'creat'
  const writable = is_creat || /\bO_(WRONLY|RDWR|CREAT|TRUNC)\b/.test(text)
  if (!opened || !writable || text.includes('O_TMPFILE')) return undefined
  return {
    kind: 'open',
    path: decode(opened).toString(),
    fd,
    creates: is_creat || text.includes('O_CREAT'),
    truncates: is_creat || text.includes('O_TRUNC'),
    mode: modeIn(text),
  }
}

function readSymlink(text: string, working_folder: string): Action {
  const [, target, folder, name] =
    /^\w+\("([^"]*)", (?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"/.exec(text)!
  const from = folder === undefined ? working_folder : decode(folder).toString()
  const path = resolve(from, decode(name!).toString())
  return { kind: 'symlink', target: decode(target!).toString(), path }
}
