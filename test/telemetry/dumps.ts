import { cpus } from '../../src/telemetry/dump/cpu.ts'

export type DumpModule = { base: bigint; size: number; name: string; debug_id: string }
export type DumpParts = {
  os?: 'windows' | 'linux' | 'macos'
  arch?: 'x86_64' | 'x86' | 'arm64'
  modules?: DumpModule[]
  registers?: Record<string, bigint>
  stack?: { start: bigint; words: bigint[] }
  code?: number
  flags?: number
  address?: bigint
  info?: bigint[]
  other_threads?: number
}

const platforms = { windows: 2, linux: 0x8201, macos: 0x8101 }
const arches = { x86_64: 9, x86: 0, arm64: 12 }

/** A minidump in the format of crash handlers, with the given contents. */
export function minidump(parts: DumpParts = {}): Buffer {
  const {
    os = 'linux',
    arch = 'x86_64',
    modules = [],
    registers = {},
    stack = { start: 0x7000n, words: [] },
    code = 11,
    flags = 1,
    address = 0n,
    info = [],
    other_threads = 0,
  } = parts
  const cpu = cpus[arch]!
  const blobs: Buffer[] = []
  let at = 32 + 5 * 12
  const place = (bytes: Buffer) => {
    blobs.push(bytes)
    at += bytes.length
    return { rva: at - bytes.length, size: bytes.length }
  }
  const context = Buffer.alloc(1232)
  for (const [name, value] of Object.entries(registers))
    if (cpu.word === 8) context.writeBigUInt64LE(value, cpu.registers[name]!)
    else context.writeUInt32LE(Number(value), cpu.registers[name]!)
  const contextAt = place(context)
  const memory = Buffer.alloc(stack.words.length * cpu.word)
  for (const [i, word] of stack.words.entries())
    cpu.word === 8
      ? memory.writeBigUInt64LE(word, i * 8)
      : memory.writeUInt32LE(Number(word), i * 4)
  const memoryAt = place(memory)

  const system = Buffer.alloc(56)
  system.writeUInt16LE(arches[arch], 0)
  system.writeUInt32LE(platforms[os], 20)
  const threads = Buffer.alloc(4 + 48 * (1 + other_threads))
  threads.writeUInt32LE(1 + other_threads, 0)
  for (let i = 0; i <= other_threads; i++) {
    const entry = 4 + 48 * i
    threads.writeUInt32LE(7 + i, entry)
    threads.writeBigUInt64LE(stack.start, entry + 24)
    threads.writeUInt32LE(memory.length, entry + 32)
    threads.writeUInt32LE(memoryAt.rva, entry + 36)
    threads.writeUInt32LE(contextAt.size, entry + 40)
    threads.writeUInt32LE(contextAt.rva, entry + 44)
  }
  const list = Buffer.alloc(4 + 108 * modules.length)
  list.writeUInt32LE(modules.length, 0)
  for (const [i, module] of modules.entries()) {
    const entry = 4 + 108 * i
    const name = Buffer.from(`/opt/game/${module.name}`, 'utf16le')
    const length = Buffer.alloc(4)
    length.writeUInt32LE(name.length)
    const nameAt = place(Buffer.concat([length, name]))
    const codeView = place(
      Buffer.concat([
        Buffer.from('RSDS'),
        unguid(module.debug_id),
        Buffer.from(`${module.name}.pdb\0`),
      ]),
    )
    list.writeBigUInt64LE(module.base, entry)
    list.writeUInt32LE(module.size, entry + 8)
    list.writeUInt32LE(nameAt.rva, entry + 20)
    list.writeUInt32LE(codeView.size, entry + 76)
    list.writeUInt32LE(codeView.rva, entry + 80)
  }
  const exception = Buffer.alloc(168)
  exception.writeUInt32LE(7, 0)
  exception.writeUInt32LE(code, 8)
  exception.writeUInt32LE(flags, 12)
  exception.writeBigUInt64LE(address, 24)
  exception.writeUInt32LE(info.length, 32)
  for (const [i, value] of info.entries()) exception.writeBigUInt64LE(value, 40 + i * 8)
  exception.writeUInt32LE(contextAt.size, 160)
  exception.writeUInt32LE(contextAt.rva, 164)
  const ranges = Buffer.alloc(4 + 16)
  ranges.writeUInt32LE(1, 0)
  ranges.writeBigUInt64LE(stack.start, 4)
  ranges.writeUInt32LE(memory.length, 12)
  ranges.writeUInt32LE(memoryAt.rva, 16)

  const streams = [
    [7, place(system)],
    [3, place(threads)],
    [4, place(list)],
    [5, place(ranges)],
    [6, place(exception)],
  ] as const
  const head = Buffer.alloc(32 + streams.length * 12)
  head.write('MDMP', 0, 'latin1')
  head.writeUInt32LE(0xa793, 4)
  head.writeUInt32LE(streams.length, 8)
  head.writeUInt32LE(32, 12)
  for (const [i, [type, { rva, size }]] of streams.entries()) {
    head.writeUInt32LE(type, 32 + i * 12)
    head.writeUInt32LE(size, 36 + i * 12)
    head.writeUInt32LE(rva, 40 + i * 12)
  }
  return Buffer.concat([head, ...blobs])
}

/** The sixteen bytes and the age of a debug id. */
function unguid(debug_id: string): Buffer {
  const bytes = Buffer.from(debug_id.slice(0, 32).toLowerCase(), 'hex')
  bytes.subarray(0, 4).reverse()
  bytes.subarray(4, 6).reverse()
  bytes.subarray(6, 8).reverse()
  const age = Buffer.alloc(4)
  age.writeUInt32LE(Number.parseInt(debug_id.slice(32), 16))
  return Buffer.concat([bytes, age])
}

export const DEBUG_ID = '5A9832E5287241C1838ED98914E9B7FF1'
export const BASE = 0x400000n
const STACK = 0x7fff0000n

export const game: DumpModule = { base: BASE, size: 0x10000, name: 'game', debug_id: DEBUG_ID }

/** Three functions that call each other, main outermost, compiled without frame pointers. */
export const SYMBOLS = `MODULE Linux x86_64 ${DEBUG_ID} game
FILE 0 src/world.cpp
FILE 1 src/main.cpp
FUNC 1000 100 0 World::explode(int)
1000 10 10 0
1010 f0 11 0
FUNC 2000 100 0 World::tick()
2000 100 42 0
FUNC m 3000 100 0 main
3000 100 7 1
PUBLIC 5000 0 _start
STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1004 .cfa: $rsp 32 +
STACK CFI INIT 2000 100 .cfa: $rsp 16 + .ra: .cfa -8 + ^ $rbx: .cfa -16 + ^
STACK CFI INIT 3000 100 .cfa: $rbp 16 + .ra: .cfa -8 + ^ $rbp: .cfa -16 + ^
`

/**
 * A crash in World::explode with the return addresses at the positions of the rules above, and a
 * stale one that only a stack scan would use.
 */
export function crashedGame(more: DumpParts = {}): Buffer {
  const word = (index: number) => STACK + BigInt(index) * 8n
  return minidump({
    modules: [game],
    registers: { $rip: BASE + 0x1010n, $rsp: word(0), $rbp: word(8) },
    stack: {
      start: STACK,
      // The frame of explode: 24 bytes and the return into tick. Of tick: the saved rbx and the
      // return into main. Of main: a frame with rbp.
      words: [
        0n,
        BASE + 0x5004n,
        0n,
        BASE + 0x2020n,
        0x1234n,
        BASE + 0x3030n,
        0n,
        0n,
        0n,
        BASE + 0x5010n,
        0n,
        0n,
      ],
    },
    address: 0x10n,
    ...more,
  })
}
