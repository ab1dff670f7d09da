import { type Cpu, cpus, type Registers, readRegisters } from './cpu.ts'
import { type Minidump, type Module, memoryReader, type Slice } from './minidump.ts'
import type { FrameData, Symbols } from './symbols.ts'

export const MAX_FRAMES = 200
const SCAN_WORDS = 160
const MAX_TOKENS = 200
/** In bytes, a few instructions. */
const JUST_RETURNED = 64n

/** How far a frame can be believed: from the registers, from unwind rules, by the chain of frame pointers, or only found on the stack. */
export type Trust = 'context' | 'cfi' | 'link_register' | 'frame_pointer' | 'scan'
export type Frame = {
  address: bigint
  trust: Trust
  module?: Module
  offset?: number
  function?: string
  file?: string
  line?: number
}
type Caller = { registers: Registers; trust: Trust }

export type Walk = {
  dump: Minidump
  cpu: Cpu
  symbolsOf: (module: Module) => Symbols | undefined
  read: (address: bigint) => bigint | undefined
  moduleAt: (address: bigint) => Module | undefined
}

export function openWalk(dump: Minidump, symbolsOf: Walk['symbolsOf']): Walk | undefined {
  const cpu = cpus[dump.arch]
  if (!cpu) return undefined
  const read = memoryReader(dump)
  return {
    dump,
    cpu,
    symbolsOf,
    read: (address) => read(address, cpu.word),
    moduleAt: moduleFinder(dump.modules),
  }
}

/** Asked for every word of a stack, with thousands of modules in a dump made to be slow: it halves what is left at each step. */
export function moduleFinder(modules: readonly Module[]): Walk['moduleAt'] {
  const sorted = modules.toSorted((a, b) => (a.base < b.base ? -1 : 1))
  return (address) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]!.base <= address) low = middle + 1
      else high = middle
    }
    // Modules do not overlap; should they, the one that begins last is it, or else the one before.
    return [sorted[low - 1], sorted[low - 2]].find(
      (module) => module && address < module.base + BigInt(module.size),
    )
  }
}

/** The frames of a thread, from where it stopped towards where it began. */
export function walkThread(walk: Walk, context: Slice, most = MAX_FRAMES): Frame[] {
  const { cpu, dump } = walk
  let registers = readRegisters(cpu, dump.bytes, context)
  const frames: Frame[] = []
  let trust: Trust = 'context'
  while (registers && frames.length < most) {
    frames.push(frameOf(walk, registers[cpu.pc]!, trust))
    const caller: Caller | undefined = callerOf(walk, registers, frames.length === 1)
    if (!caller || !isFurther(cpu, registers, caller)) break
    registers = caller.registers
    trust = caller.trust
  }
  return frames
}

/** A stack grows one way: a caller that does not lie further up would be walked for ever. */
const isFurther = ({ sp, pc }: Cpu, from: Registers, { registers, trust }: Caller) =>
  registers[sp]! > from[sp]! ||
  (trust === 'link_register' && registers[pc] !== from[pc]) ||
  (trust === 'cfi' && registers[sp] === from[sp] && registers[pc] !== from[pc])

function frameOf(walk: Walk, address: bigint, trust: Trust): Frame {
  const module = walk.moduleAt(address)
  if (!module) return { address, trust }
  const offset = Number(address - module.base)
  // A return address is that of the next instruction, which may be another line or another function.
  return {
    address,
    trust,
    module,
    offset,
    ...walk.symbolsOf(module)?.find(trust === 'context' ? offset : offset - 1),
  }
}

function callerOf(walk: Walk, registers: Registers, first: boolean): Caller | undefined {
  return (
    byRules(walk, registers, first) ??
    byFrameData(walk, registers, first) ??
    byFramePointer(walk, registers, first) ??
    byScan(walk, registers)
  )
}

function inSymbols(
  walk: Walk,
  registers: Registers,
  first: boolean,
): { symbols: Symbols; offset: number } | undefined {
  const pc = registers[walk.cpu.pc]!
  const module = walk.moduleAt(pc)
  const symbols = module && walk.symbolsOf(module)
  return symbols && { symbols, offset: Number(pc - module.base) - (first ? 0 : 1) }
}

const mask = (cpu: Cpu, value: bigint) => BigInt.asUintN(cpu.word * 8, value)

function byRules(walk: Walk, registers: Registers, first: boolean): Caller | undefined {
  const { cpu } = walk
  const at = inSymbols(walk, registers, first)
  const lines = at?.symbols.callFrame(at.offset)
  if (!lines) return undefined
  const rules = new Map<string, string[]>()
  for (const line of lines) readRules(line, rules)
  const evaluate = (name: string, cfa?: bigint) => {
    const rule = rules.get(name)
    return (
      rule && compute(walk, rule, cfa === undefined ? registers : { ...registers, '.cfa': cfa })
    )
  }
  const cfa = evaluate('.cfa')
  if (cfa === undefined) return undefined
  const ra = evaluate('.ra', cfa)
  if (ra === undefined || ra === 0n) return undefined
  const next: Registers = { ...registers, [cpu.sp]: cfa }
  for (const name of rules.keys()) {
    if (name.startsWith('.')) continue
    const value = evaluate(name, cfa)
    if (value !== undefined) next[name] = value
  }
  next[cpu.pc] = ra
  return { registers: next, trust: 'cfi' }
}

/** `.cfa: $rsp 8 + .ra: .cfa 8 - ^`: a name with a colon, and an expression up to the next one. */
function readRules(line: string, rules: Map<string, string[]>): void {
  let current: string[] | undefined
  for (const word of line.split(/\s+/).slice(0, MAX_TOKENS)) {
    if (word.endsWith(':')) {
      current = []
      rules.set(word.slice(0, -1), current)
    } else if (word) current?.push(word)
  }
}

const operators: Record<string, (a: bigint, b: bigint) => bigint | undefined> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => (b === 0n ? undefined : a / b),
  '%': (a, b) => (b === 0n ? undefined : a % b),
  '@': (a, b) => (b <= 0n ? undefined : a - (a % b)),
}

/** A postfix expression over registers and memory; undefined where it asks for what the dump does not hold. */
function compute({ cpu, read }: Walk, words: string[], registers: Registers): bigint | undefined {
  const stack: bigint[] = []
  for (const word of words) {
    const value = step(word)
    if (value === undefined) return undefined
    stack.push(mask(cpu, value))
  }
  return stack.length === 1 ? stack[0] : undefined

  function step(word: string): bigint | undefined {
    if (word === '^') {
      const address = stack.pop()
      return address === undefined ? undefined : read(address)
    }
    const operator = Object.hasOwn(operators, word) ? operators[word] : undefined
    if (operator) {
      const [b, a] = [stack.pop(), stack.pop()]
      return a === undefined || b === undefined ? undefined : operator(a, b)
    }
    if (/^-?\d{1,20}$/.test(word)) return BigInt(word)
    return Object.hasOwn(registers, word) ? registers[word] : undefined
  }
}

/** The small programs that describe 32-bit Windows frames: assignments in postfix, with the return address searched for where they say so. */
function byFrameData(walk: Walk, registers: Registers, first: boolean): Caller | undefined {
  const { cpu, read, moduleAt } = walk
  if (walk.dump.arch !== 'x86') return undefined
  const at = inSymbols(walk, registers, first)
  const data = at?.symbols.windowsFrame(at.offset)
  if (!data) return undefined
  const search = searchReturn(data, registers.$esp!, read, moduleAt)
  const values: Registers = {
    ...registers,
    '.raSearch': search,
    '.raSearchStart': search,
    '.cbLocals': BigInt(data.locals),
    '.cbSavedRegs': BigInt(data.saved),
    '.cbParams': BigInt(data.params),
  }
  const stack: string[] = []
  for (const word of data.program.split(/\s+/).slice(0, MAX_TOKENS)) {
    if (word !== '=') {
      stack.push(word)
      continue
    }
    const [name, ...expression] = stack.splice(0)
    const value = name && compute(walk, expression, values)
    if (!name || value === undefined) return undefined
    values[name] = value as bigint
  }
  const next = Object.fromEntries(Object.keys(cpu.registers).map((name) => [name, values[name]!]))
  return next[cpu.pc] === registers[cpu.pc] ? undefined : { registers: next, trust: 'cfi' }
}

function searchReturn(
  { locals, saved }: FrameData,
  esp: bigint,
  read: Walk['read'],
  moduleAt: Walk['moduleAt'],
): bigint {
  const start = esp + BigInt(locals + saved)
  for (let i = 0n; i < 24n; i++) {
    const value = read(start + i * 4n)
    if (value !== undefined && moduleAt(value)) return start + i * 4n
  }
  return start
}

function byFramePointer(
  { cpu, read, moduleAt, symbolsOf }: Walk,
  registers: Registers,
  first: boolean,
): Caller | undefined {
  const width = BigInt(cpu.word)
  const fp = registers[cpu.fp]!
  const [caller_fp, ra] = [read(fp), read(fp + width)]
  if (first && cpu.lr) {
    // A function that calls none keeps its caller in a register; it has no frame of its own to find it by.
    const lr = registers[cpu.lr]!
    const module = moduleAt(lr)
    const here = moduleAt(registers[cpu.pc]!)
    const name = (at: bigint, of: Module | undefined) =>
      of && symbolsOf(of)?.find(Number(at - of.base))?.function
    const same =
      name(lr, module) !== undefined && name(lr, module) === name(registers[cpu.pc]!, here)
    // Right behind us: it is where the last call of this very function came back to.
    const returned = lr <= registers[cpu.pc]! && registers[cpu.pc]! - lr < JUST_RETURNED
    if (module && lr !== ra && !same && !returned)
      return { registers: { ...registers, [cpu.pc]: lr, [cpu.lr]: 0n }, trust: 'link_register' }
  }
  if (fp < registers[cpu.sp]! || caller_fp === undefined || ra === undefined || !moduleAt(ra))
    return undefined
  if (caller_fp !== 0n && caller_fp <= fp) return undefined
  return {
    registers: { ...registers, [cpu.pc]: ra, [cpu.sp]: fp + 2n * width, [cpu.fp]: caller_fp },
    trust: 'frame_pointer',
  }
}

/** The last resort: the next word on the stack that could be a return address. It may be one left behind by an earlier call. */
function byScan(
  { cpu, read, moduleAt, symbolsOf }: Walk,
  registers: Registers,
): Caller | undefined {
  const width = BigInt(cpu.word)
  const sp = registers[cpu.sp]!
  for (let i = 0n; i < SCAN_WORDS; i++) {
    const address = sp + i * width
    const value = read(address)
    if (value === undefined) return undefined
    const module = moduleAt(value)
    if (!module) continue
    const symbols = symbolsOf(module)
    if (symbols && !symbols.find(Number(value - module.base) - 1)) continue
    return {
      registers: { ...registers, [cpu.pc]: value, [cpu.sp]: address + width },
      trust: 'scan',
    }
  }
  return undefined
}
