import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { MIB } from '../../core/runtime/units.ts'

const CHUNK = MIB
const MAX_LINE = 16 * 1024
const MAX_NAME = 512
const MAX_RECORDS = 8_000_000
const MAX_DELTAS = 512
const MAX_LINE_RECORDS = 20_000

export type SourceLocation = { function: string; file?: string; line?: number }
export type FrameData = {
  prologue: number
  params: number
  saved: number
  locals: number
  program: string
}
/** An open Breakpad symbol file. Addresses are offsets into its module. */
export type Symbols = {
  find(offset: number): SourceLocation | undefined
  /** The CFI rules that find the caller, in the order in which they apply. */
  cfiRules(offset: number): string[] | undefined
  windowsFrameData(offset: number): FrameData | undefined
  close(): void
}

/**
 * The file positions of records, sorted by address. A file of half a gigabyte needs only a few
 * megabytes of memory this way.
 */
type Index = { addresses: Float64Array; sizes: Float64Array; positions: Float64Array }
type UnsortedIndex = { address: number[]; size: number[]; position: number[] }
const emptyIndex = (): UnsortedIndex => ({ address: [], size: [], position: [] })

export function openSymbols(path: string): Symbols {
  const fd = openSync(path, 'r')
  try {
    const lineAt = lineReader(fd)
    const { functions, publics, frames, windows, files } = readIndex(fd)
    return {
      find: (offset) =>
        findFunction(functions, offset, lineAt, files) ??
        findPublic(publics, functions, offset, lineAt),
      cfiRules: (offset) => findRules(frames, offset, lineAt),
      windowsFrameData: (offset) => findFrameData(windows, offset, lineAt),
      close: () => closeSync(fd),
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

const hex = (text: string | undefined) =>
  text !== undefined && /^[0-9a-f]{1,13}$/i.test(text) ? Number.parseInt(text, 16) : Number.NaN

function readIndex(fd: number) {
  const functions = emptyIndex()
  const publics = emptyIndex()
  const frames = emptyIndex()
  const windows = emptyIndex()
  const files = new Map<string, number>()
  let records = 0
  const add = (to: UnsortedIndex, position: number, address: number, size: number) => {
    if (Number.isNaN(address) || Number.isNaN(size) || ++records > MAX_RECORDS) return
    to.address.push(address)
    to.size.push(size)
    to.position.push(position)
  }
  for (const { position, line } of readLines(fd)) {
    const words = line.split(' ', 8)
    const shift = words[1] === 'm' ? 1 : 0
    if (words[0] === 'FUNC') add(functions, position, hex(words[1 + shift]), hex(words[2 + shift]))
    else if (words[0] === 'PUBLIC') add(publics, position, hex(words[1 + shift]), 0)
    else if (words[0] === 'FILE' && files.size < MAX_RECORDS) files.set(words[1] ?? '', position)
    else if (words[0] === 'STACK' && words[1] === 'CFI' && words[2] === 'INIT')
      add(frames, position, hex(words[3]), hex(words[4]))
    else if (words[0] === 'STACK' && words[1] === 'WIN' && words[2] === '4')
      add(windows, position, hex(words[3]), hex(words[4]))
  }
  return {
    functions: sorted(functions),
    publics: sorted(publics),
    frames: sorted(frames),
    windows: sorted(windows),
    files,
  }
}

/**
 * The lines that start a known record, with their positions. Line records, which are most of a
 * file, are skipped.
 */
function* readLines(fd: number): Generator<{ position: number; line: string }> {
  const chunk = Buffer.alloc(CHUNK + MAX_LINE)
  let at = 0
  let carried = 0
  for (;;) {
    const read = readSync(fd, chunk, carried, CHUNK, at + carried)
    const end = carried + read
    let start = 0
    for (
      let stop = chunk.indexOf(10, start);
      stop >= 0 && stop < end;
      stop = chunk.indexOf(10, start)
    ) {
      if (isRecord(chunk, start))
        yield {
          position: at + start,
          line: chunk.toString('latin1', start, Math.min(stop, start + MAX_LINE)).trimEnd(),
        }
      start = stop + 1
    }
    if (read === 0) {
      if (start < end && isRecord(chunk, start))
        yield {
          position: at + start,
          line: chunk.toString('latin1', start, Math.min(end, start + MAX_LINE)),
        }
      return
    }
    // A line longer than the limit is split; its pieces do not start with a record name.
    carried = Math.min(end - start, MAX_LINE)
    chunk.copy(chunk, 0, end - carried, end)
    at += end - carried
    chunk.fill(0, carried)
  }
}

/** FILE, FUNC, PUBLIC and STACK. */
function isRecord(chunk: Buffer, at: number): boolean {
  const first = chunk[at]
  const second = chunk[at + 1]
  return (
    (first === 0x46 && (second === 0x49 || second === 0x55)) ||
    (first === 0x50 && second === 0x55) ||
    (first === 0x53 && second === 0x54)
  )
}

function sorted({ address, size, position }: UnsortedIndex): Index {
  const order = Uint32Array.from(address.keys()).sort((a, b) => address[a]! - address[b]!)
  const pick = (values: number[]) => Float64Array.from(order, (i) => values[i]!)
  return { addresses: pick(address), sizes: pick(size), positions: pick(position) }
}

/** The index of the last record that starts at or before an offset, or -1. */
function lastBefore({ addresses }: Index, offset: number): number {
  let low = 0
  let high = addresses.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (addresses[middle]! <= offset) low = middle + 1
    else high = middle
  }
  return low - 1
}

const contains = (index: Index, i: number, offset: number) =>
  i >= 0 && offset < index.addresses[i]! + index.sizes[i]!

type LineAt = (position: number) => { line: string; next: number }

function lineReader(fd: number): LineAt {
  const { size } = fstatSync(fd)
  const buffer = Buffer.alloc(MAX_LINE)
  return (position) => {
    if (position >= size) return { line: '', next: size }
    const read = readSync(fd, buffer, 0, MAX_LINE, position)
    const end = buffer.subarray(0, read).indexOf(10)
    const stop = end < 0 ? read : end
    return { line: buffer.toString('utf8', 0, stop).trimEnd(), next: position + stop + 1 }
  }
}

/** Removes what cannot be stored: control characters, and a surrogate cut in half. */
const cleanName = (words: string[]) =>
  words.join(' ').slice(0, MAX_NAME).replace(/\p{C}/gu, '') || '<name missing>'

function findFunction(
  functions: Index,
  offset: number,
  lineAt: LineAt,
  files: Map<string, number>,
): SourceLocation | undefined {
  const i = lastBefore(functions, offset)
  if (!contains(functions, i, offset)) return undefined
  const { line, next } = lineAt(functions.positions[i]!)
  const words = line.split(' ')
  const location = { function: cleanName(words.slice(words[1] === 'm' ? 5 : 4)) }
  let at = next
  for (let i = 0; i < MAX_LINE_RECORDS; i++) {
    const record = lineAt(at)
    const [address, size, number, file] = record.line.split(' ')
    if (record.line.startsWith('INLINE ')) {
      at = record.next
      continue
    }
    if (!/^[0-9a-f]+ [0-9a-f]+ \d+ \d+$/i.test(record.line)) return location
    if (offset >= hex(address) && offset < hex(address) + hex(size))
      return { ...location, ...fileOf(file!, files, lineAt), line: Number(number) }
    at = record.next
  }
  return location
}

function fileOf(number: string, files: Map<string, number>, lineAt: LineAt): { file?: string } {
  const position = files.get(number)
  return position === undefined
    ? {}
    : { file: cleanName(lineAt(position).line.split(' ').slice(2)) }
}

/** The nearest public symbol below, unless a function lies between it and the offset. */
function findPublic(
  publics: Index,
  functions: Index,
  offset: number,
  lineAt: LineAt,
): SourceLocation | undefined {
  const i = lastBefore(publics, offset)
  if (i < 0) return undefined
  const f = lastBefore(functions, offset)
  if (f >= 0 && functions.addresses[f]! > publics.addresses[i]!) return undefined
  const words = lineAt(publics.positions[i]!).line.split(' ')
  return { function: cleanName(words.slice(words[1] === 'm' ? 4 : 3)) }
}

function findRules(frames: Index, offset: number, lineAt: LineAt): string[] | undefined {
  const i = lastBefore(frames, offset)
  if (!contains(frames, i, offset)) return undefined
  const first = lineAt(frames.positions[i]!)
  const rules = [first.line.split(' ').slice(5).join(' ')]
  let at = first.next
  for (let n = 0; n < MAX_DELTAS; n++) {
    const { line, next } = lineAt(at)
    const delta = /^STACK CFI ([0-9a-f]+) (.*)$/i.exec(line)
    if (!delta || hex(delta[1]) > offset) break
    rules.push(delta[2]!)
    at = next
  }
  return rules
}

function findFrameData(windows: Index, offset: number, lineAt: LineAt): FrameData | undefined {
  const i = lastBefore(windows, offset)
  if (!contains(windows, i, offset)) return undefined
  const words = lineAt(windows.positions[i]!).line.split(' ')
  const numbers = words.slice(5, 10).map(hex)
  const [prologue, , params, saved, locals] = numbers
  if (words[11] !== '1' || numbers.some(Number.isNaN)) return undefined
  return {
    prologue: prologue!,
    params: params!,
    saved: saved!,
    locals: locals!,
    program: words.slice(12).join(' '),
  }
}
