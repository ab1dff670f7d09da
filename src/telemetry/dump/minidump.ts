/** Upper bounds on what is read, because a dump may be hostile. */
const limits = { streams: 4096, modules: 8192, threads: 8192, ranges: 262_144, text_bytes: 4096 }
const SIGNATURE = 0x504d444d
const streamTypes = {
  threads: 3,
  modules: 4,
  memory: 5,
  exception: 6,
  system: 7,
  memory64: 9,
} as const

export type Arch = 'x86' | 'x86_64' | 'arm' | 'arm64' | 'unknown'
export type Module = {
  base: bigint
  size: number
  name: string
  debug_file: string
  debug_id: string
}
export type Range = { start: bigint; size: number; at: number }
export type Slice = { at: number; size: number }
export type Thread = { id: number; stack: Range; context: Slice }
export type Exception = {
  thread_id: number
  code: number
  flags: number
  address: bigint
  info: bigint[]
  context: Slice
}
export type Minidump = {
  bytes: Buffer
  os: string
  arch: Arch
  modules: Module[]
  threads: Thread[]
  memory: Range[]
  exception: Exception | undefined
}

/** The bytes are not a minidump, or a truncated one. */
export class DumpError extends Error {}

const arches: Record<number, Arch> = {
  0: 'x86',
  5: 'arm',
  9: 'x86_64',
  12: 'arm64',
  32771: 'arm64',
}
const systems: Record<number, string> = {
  1: 'windows',
  2: 'windows',
  33025: 'macos',
  33026: 'ios',
  33281: 'linux',
  33283: 'android',
}

export function readMinidump(bytes: Buffer): Minidump {
  if (bytes.length < 32 || bytes.readUInt32LE(0) !== SIGNATURE)
    throw new DumpError('not a minidump')
  try {
    return readStreams(bytes)
  } catch (error) {
    if (error instanceof RangeError) throw new DumpError('the minidump is truncated')
    throw error
  }
}

function readStreams(bytes: Buffer): Minidump {
  const streams = new Map<number, Slice>()
  const count = Math.min(bytes.readUInt32LE(8), limits.streams)
  const directory = bytes.readUInt32LE(12)
  for (let i = 0; i < count; i++) {
    const at = directory + i * 12
    const type = bytes.readUInt32LE(at)
    if (!streams.has(type))
      streams.set(type, { size: bytes.readUInt32LE(at + 4), at: bytes.readUInt32LE(at + 8) })
  }
  const system = streams.get(streamTypes.system)
  const threads = readThreads(bytes, streams.get(streamTypes.threads))
  return {
    bytes,
    os: (system && systems[bytes.readUInt32LE(system.at + 20)]) ?? 'unknown',
    arch: (system && arches[bytes.readUInt16LE(system.at)]) ?? 'unknown',
    modules: readModules(bytes, streams.get(streamTypes.modules)),
    threads,
    // Some writers list the stack of a thread only with the thread.
    memory: [
      ...threads.map(({ stack }) => stack),
      ...readMemory(bytes, streams.get(streamTypes.memory)),
      ...readMemory64(bytes, streams.get(streamTypes.memory64)),
    ].filter(({ size, at }) => size > 0 && at + size <= bytes.length),
    exception: readException(bytes, streams.get(streamTypes.exception)),
  }
}

/** The offsets of the entries of a list. Some writers pad the count to eight bytes. */
function* entries(
  bytes: Buffer,
  list: Slice | undefined,
  entry_size: number,
  max_count: number,
): Generator<number> {
  if (!list) return
  const count = bytes.readUInt32LE(list.at)
  const header = list.size === 8 + count * entry_size ? 8 : 4
  for (let i = 0; i < Math.min(count, max_count); i++) yield list.at + header + i * entry_size
}

function readThreads(bytes: Buffer, list: Slice | undefined): Thread[] {
  return Array.from(entries(bytes, list, 48, limits.threads), (at) => ({
    id: bytes.readUInt32LE(at),
    stack: {
      start: bytes.readBigUInt64LE(at + 24),
      size: bytes.readUInt32LE(at + 32),
      at: bytes.readUInt32LE(at + 36),
    },
    context: { size: bytes.readUInt32LE(at + 40), at: bytes.readUInt32LE(at + 44) },
  }))
}

function readModules(bytes: Buffer, list: Slice | undefined): Module[] {
  return Array.from(entries(bytes, list, 108, limits.modules), (at) => ({
    base: bytes.readBigUInt64LE(at),
    size: bytes.readUInt32LE(at + 8),
    name: basename(readText(bytes, bytes.readUInt32LE(at + 20))),
    ...readCodeView(bytes, { size: bytes.readUInt32LE(at + 76), at: bytes.readUInt32LE(at + 80) }),
  }))
}

const basename = (path: string) => path.split(/[\\/]/).at(-1) ?? path

function readText(bytes: Buffer, at: number): string {
  const length = Math.min(bytes.readUInt32LE(at), limits.text_bytes) & ~1
  if (at + 4 + length > bytes.length) throw new RangeError()
  return bytes.toString('utf16le', at + 4, at + 4 + length).replace(/\p{C}/gu, '')
}

/** The debug id of a module, in the notation of symbol files. */
function readCodeView(
  bytes: Buffer,
  { size, at }: Slice,
): { debug_file: string; debug_id: string } {
  const none = { debug_file: '', debug_id: '' }
  if (size < 8 || at + size > bytes.length) return none
  const kind = bytes.toString('latin1', at, at + 4)
  if (kind === 'RSDS' && size >= 24) {
    const age = bytes
      .readUInt32LE(at + 20)
      .toString(16)
      .toUpperCase()
    const name = bytes.subarray(at + 24, at + Math.min(size, limits.text_bytes))
    const end = name.indexOf(0)
    return {
      debug_file: basename(name.toString('utf8', 0, end < 0 ? name.length : end)),
      debug_id: guid(bytes.subarray(at + 4, at + 20)) + age,
    }
  }
  if (bytes.readUInt32LE(at) === 0x4270454c) {
    const id = Buffer.alloc(16)
    bytes.copy(id, 0, at + 4, at + Math.min(size, 20))
    return { debug_file: '', debug_id: `${guid(id)}0` }
  }
  return none
}

function guid(id: Buffer): string {
  const parts = [
    id.readUInt32LE(0).toString(16).padStart(8, '0'),
    id.readUInt16LE(4).toString(16).padStart(4, '0'),
    id.readUInt16LE(6).toString(16).padStart(4, '0'),
  ]
  return (parts.join('') + id.toString('hex', 8, 16)).toUpperCase()
}

function readMemory(bytes: Buffer, list: Slice | undefined): Range[] {
  return Array.from(entries(bytes, list, 16, limits.ranges), (at) => ({
    start: bytes.readBigUInt64LE(at),
    size: bytes.readUInt32LE(at + 8),
    at: bytes.readUInt32LE(at + 12),
  }))
}

function readMemory64(bytes: Buffer, list: Slice | undefined): Range[] {
  if (!list) return []
  const count = Math.min(Number(bytes.readBigUInt64LE(list.at)), limits.ranges)
  let at = Number(bytes.readBigUInt64LE(list.at + 8))
  return Array.from({ length: count }, (_, i) => {
    const entry = list.at + 16 + i * 16
    const size = Number(bytes.readBigUInt64LE(entry + 8))
    at += size
    return { start: bytes.readBigUInt64LE(entry), size, at: at - size }
  })
}

function readException(bytes: Buffer, stream: Slice | undefined): Exception | undefined {
  if (!stream) return undefined
  const { at } = stream
  const params = Math.min(bytes.readUInt32LE(at + 32), 15)
  return {
    thread_id: bytes.readUInt32LE(at),
    code: bytes.readUInt32LE(at + 8),
    flags: bytes.readUInt32LE(at + 12),
    address: bytes.readBigUInt64LE(at + 24),
    info: Array.from({ length: params }, (_, i) => bytes.readBigUInt64LE(at + 40 + i * 8)),
    context: { size: bytes.readUInt32LE(at + 160), at: bytes.readUInt32LE(at + 164) },
  }
}

/** Reads a word of the crashed program's memory, if the dump contains it. */
export function memoryReader({
  bytes,
  memory,
}: Minidump): (address: bigint, width: 4 | 8) => bigint | undefined {
  const sorted = memory.toSorted((a, b) => (a.start < b.start ? -1 : 1))
  return (address, width) => {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]!.start <= address) low = middle + 1
      else high = middle
    }
    // Ranges may overlap, so the last two that start at or before the address are tried.
    for (const range of [sorted[low - 1], sorted[low - 2]]) {
      if (!range) continue
      const offset = address - range.start
      if (offset < 0n || offset + BigInt(width) > BigInt(range.size)) continue
      const at = range.at + Number(offset)
      return width === 8 ? bytes.readBigUInt64LE(at) : BigInt(bytes.readUInt32LE(at))
    }
    return undefined
  }
}
