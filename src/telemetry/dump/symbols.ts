import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const CHUNK = 1024 * 1024
const MAX_LINE = 16 * 1024
const MAX_NAME = 512
const MAX_RECORDS = 8_000_000
const MAX_DELTAS = 512

export type Place = { function: string; file?: string; line?: number }
export type FrameData = {
  prologue: number
  params: number
  saved: number
  locals: number
  program: string
}
/** A Breakpad symbol file, open. Addresses are offsets into its module. */
export type Symbols = {
  find(offset: number): Place | undefined
  /** The rules by which a function's caller is found, in the order they apply. */
  callFrame(offset: number): string[] | undefined
  windowsFrame(offset: number): FrameData | undefined
  close(): void
}

/** Where records begin in the file, in order of address: a file of half a gigabyte costs a few megabytes to use. */
type Index = { addresses: Float64Array; sizes: Float64Array; positions: Float64Array }
type Column = { address: number[]; size: number[]; position: number[] }
const column = (): Column => ({ address: [], size: [], position: [] })

export function openSymbols(path: string): Symbols {
  const fd = openSync(path, 'r')
  try {
    const lineAt = lineReader(fd)
    const { functions, publics, frames, windows, files } = readIndex(fd)
    return {
      find: (offset) =>
        findFunction(functions, offset, lineAt, files) ??
        findPublic(publics, functions, offset, lineAt),
      callFrame: (offset) => findRules(frames, offset, lineAt),
      windowsFrame: (offset) => findFrameData(windows, offset, lineAt),
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
  const [functions, publics, frames, windows] = [column(), column(), column(), column()]
  const files = new Map<string, number>()
  let records = 0
  const add = (to: Column, position: number, address: number, size: number) => {
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

/** The lines that begin a record we know, each with where it stands. Lines of code, most of a file, are passed over. */
function* readLines(fd: number): Generator<{ position: number; line: string }> {
  const chunk = Buffer.alloc(CHUNK + MAX_LINE)
  let [at, kept] = [0, 0]
  for (;;) {
    const read = readSync(fd, chunk, kept, CHUNK, at + kept)
    const end = kept + read
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
    // A line longer than any we read is cut into pieces, none of which is a record.
    kept = Math.min(end - start, MAX_LINE)
    chunk.copy(chunk, 0, end - kept, end)
    at += end - kept
    chunk.fill(0, kept)
  }
}

/** FILE, FUNC, PUBLIC and STACK. */
function isRecord(chunk: Buffer, at: number): boolean {
  const [first, second] = [chunk[at], chunk[at + 1]]
  return (
    (first === 0x46 && (second === 0x49 || second === 0x55)) ||
    (first === 0x50 && second === 0x55) ||
    (first === 0x53 && second === 0x54)
  )
}

function sorted({ address, size, position }: Column): Index {
  const order = Uint32Array.from(address.keys()).sort((a, b) => address[a]! - address[b]!)
  const pick = (values: number[]) => Float64Array.from(order, (i) => values[i]!)
  return { addresses: pick(address), sizes: pick(size), positions: pick(position) }
}

/** The last record that begins at or before an offset, or -1. */
function lastBefore({ addresses }: Index, offset: number): number {
  let [low, high] = [0, addresses.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (addresses[middle]! <= offset) low = middle + 1
    else high = middle
  }
  return low - 1
}

const within = (index: Index, i: number, offset: number) =>
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

/** Control characters, and half of a pair where the name was cut, cannot be stored. */
const named = (words: string[]) =>
  words.join(' ').slice(0, MAX_NAME).replace(/\p{C}/gu, '') || '<name missing>'

function findFunction(
  functions: Index,
  offset: number,
  lineAt: LineAt,
  files: Map<string, number>,
): Place | undefined {
  const i = lastBefore(functions, offset)
  if (!within(functions, i, offset)) return undefined
  const { line, next } = lineAt(functions.positions[i]!)
  const words = line.split(' ')
  const place = { function: named(words.slice(words[1] === 'm' ? 5 : 4)) }
  for (let [at, tries] = [next, 0]; tries < 20_000; tries++) {
    const record = lineAt(at)
    const [address, size, number, file] = record.line.split(' ')
    if (record.line.startsWith('INLINE ')) {
      at = record.next
      continue
    }
    if (!/^[0-9a-f]+ [0-9a-f]+ \d+ \d+$/i.test(record.line)) return place
    if (offset >= hex(address) && offset < hex(address) + hex(size))
      return { ...place, ...fileOf(file!, files, lineAt), line: Number(number) }
    at = record.next
  }
  return place
}

function fileOf(number: string, files: Map<string, number>, lineAt: LineAt): { file?: string } {
  const position = files.get(number)
  return position === undefined ? {} : { file: named(lineAt(position).line.split(' ').slice(2)) }
}

/** Nearest below, unless a function that ends before the offset stands between. */
function findPublic(
  publics: Index,
  functions: Index,
  offset: number,
  lineAt: LineAt,
): Place | undefined {
  const i = lastBefore(publics, offset)
  if (i < 0) return undefined
  const f = lastBefore(functions, offset)
  if (f >= 0 && functions.addresses[f]! > publics.addresses[i]!) return undefined
  const words = lineAt(publics.positions[i]!).line.split(' ')
  return { function: named(words.slice(words[1] === 'm' ? 4 : 3)) }
}

function findRules(frames: Index, offset: number, lineAt: LineAt): string[] | undefined {
  const i = lastBefore(frames, offset)
  if (!within(frames, i, offset)) return undefined
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
  if (!within(windows, i, offset)) return undefined
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
