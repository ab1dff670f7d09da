import { type Cpu, cpus, type Registers, readRegisters } from './cpu.ts'
import { type Minidump, type Module, memoryReader, type Slice } from './minidump.ts'
import type { FrameData, Symbols } from './symbols.ts'

export const MAX_FRAMES = 200
const SCAN_WORDS = 160
const MAX_TOKENS = 200
/** In bytes: a few instructions. */
const JUST_RETURNED = 64n
const RETURN_SEARCH_WORDS = 24n

/**
 * How a frame was found, which determines how reliable it is: from the registers, by unwind rules,
 * by the link register, by the chain of frame pointers, or only by scanning the stack.
 */
export type FrameTrust = 'context' | 'cfi' | 'link_register' | 'frame_pointer' | 'scan'
export type Frame = {
  address: bigint
  trust: FrameTrust
  module?: Module
  offset?: number
  function?: string
  file?: string
  line?: number
}
type Caller = { registers: Registers; trust: FrameTrust }

export type Unwinder = {
  dump: Minidump
  cpu: Cpu
  symbolsFor: (module: Module) => Symbols | undefined
  read: (address: bigint) => bigint | undefined
  moduleAt: (address: bigint) => Module | undefined
}

export function createUnwinder(
  dump: Minidump,
  symbolsFor: Unwinder['symbolsFor'],
): Unwinder | undefined {
  const cpu = cpus[dump.arch]
  if (!cpu) return undefined
  const read = memoryReader(dump)
  return {
    dump,
    cpu,
    symbolsFor,
    read: (address) => read(address, cpu.word),
    moduleAt: moduleFinder(dump.modules),
  }
}

/**
 * A binary search, because it runs for every word of a scanned stack, and a hostile dump may list
 * thousands of modules.
 */
function moduleFinder(modules: readonly Module[]): Unwinder['moduleAt'] {
  const sorted = modules.toSorted((a, b) => (a.base < b.base ? -1 : 1))
  return (address) => {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]!.base <= address) low = middle + 1
      else high = middle
    }
    // If modules overlap, the module with the highest base wins, or else the module before it.
    return [sorted[low - 1], sorted[low - 2]].find(
      (module) => module && address < module.base + BigInt(module.size),
    )
  }
}

/** The frames of a thread, innermost first. */
export function walkThread(unwinder: Unwinder, context: Slice, max_frames = MAX_FRAMES): Frame[] {
  const { cpu, dump } = unwinder
  let registers = readRegisters(cpu, dump.bytes, context)
  const frames: Frame[] = []
  let trust: FrameTrust = 'context'
  while (registers && frames.length < max_frames) {
    frames.push(frameOf(unwinder, registers[cpu.pc]!, trust))
    const caller: Caller | undefined = callerOf(unwinder, registers, frames.length === 1)
    if (!caller || !isFurtherUp(cpu, registers, caller)) break
    registers = caller.registers
    trust = caller.trust
  }
  return frames
}

/** A stack grows in one direction. Following a caller in the other could loop forever. */
const isFurtherUp = ({ sp, pc }: Cpu, from: Registers, { registers, trust }: Caller) =>
  registers[sp]! > from[sp]! ||
  (trust === 'link_register' && registers[pc] !== from[pc]) ||
  (trust === 'cfi' && registers[sp] === from[sp] && registers[pc] !== from[pc])

function frameOf(unwinder: Unwinder, address: bigint, trust: FrameTrust): Frame {
  const module = unwinder.moduleAt(address)
  if (!module) return { address, trust }
  const offset = Number(address - module.base)
  // A return address points behind the call, which may be another line or even another function.
  return {
    address,
    trust,
    module,
    offset,
    ...unwinder.symbolsFor(module)?.find(trust === 'context' ? offset : offset - 1),
  }
}

function callerOf(unwinder: Unwinder, registers: Registers, first: boolean): Caller | undefined {
  return (
    unwindByCfi(unwinder, registers, first) ??
    unwindByFrameData(unwinder, registers, first) ??
    (first ? unwindByLinkRegister(unwinder, registers) : undefined) ??
    unwindByFramePointer(unwinder, registers) ??
    unwindByScan(unwinder, registers)
  )
}

function locate(
  unwinder: Unwinder,
  registers: Registers,
  first: boolean,
): { symbols: Symbols; offset: number } | undefined {
  const pc = registers[unwinder.cpu.pc]!
  const module = unwinder.moduleAt(pc)
  const symbols = module && unwinder.symbolsFor(module)
  return symbols && { symbols, offset: Number(pc - module.base) - (first ? 0 : 1) }
}

const mask = (cpu: Cpu, value: bigint) => BigInt.asUintN(cpu.word * 8, value)

function unwindByCfi(unwinder: Unwinder, registers: Registers, first: boolean): Caller | undefined {
  const { cpu } = unwinder
  const at = locate(unwinder, registers, first)
  const lines = at?.symbols.cfiRules(at.offset)
  if (!lines) return undefined
  const rules = new Map<string, string[]>()
  for (const line of lines) parseRules(line, rules)
  const evaluate = (name: string, cfa?: bigint) => {
    const rule = rules.get(name)
    return (
      rule &&
      evaluatePostfix(unwinder, rule, cfa === undefined ? registers : { ...registers, '.cfa': cfa })
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

/** Parses `.cfa: $rsp 8 + .ra: .cfa 8 - ^`: names with a colon, each before its expression. */
function parseRules(line: string, rules: Map<string, string[]>): void {
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

/** Evaluates a postfix expression; undefined if it needs memory that the dump does not contain. */
function evaluatePostfix(
  { cpu, read }: Unwinder,
  words: string[],
  registers: Registers,
): bigint | undefined {
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
      const b = stack.pop()
      const a = stack.pop()
      return a === undefined || b === undefined ? undefined : operator(a, b)
    }
    if (/^-?\d{1,20}$/.test(word)) return BigInt(word)
    return Object.hasOwn(registers, word) ? registers[word] : undefined
  }
}

/**
 * Runs the program that describes a 32-bit Windows frame: assignments in postfix notation, which
 * may require a search for the return address.
 */
function unwindByFrameData(
  unwinder: Unwinder,
  registers: Registers,
  first: boolean,
): Caller | undefined {
  const { cpu, read, moduleAt } = unwinder
  if (unwinder.dump.arch !== 'x86') return undefined
  const at = locate(unwinder, registers, first)
  const data = at?.symbols.windowsFrameData(at.offset)
  if (!data) return undefined
  const search = searchReturnAddress(data, registers.$esp!, read, moduleAt)
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
    const value = name && evaluatePostfix(unwinder, expression, values)
    if (!name || value === undefined) return undefined
    values[name] = value as bigint
  }
  const next = Object.fromEntries(Object.keys(cpu.registers).map((name) => [name, values[name]!]))
  return next[cpu.pc] === registers[cpu.pc] ? undefined : { registers: next, trust: 'cfi' }
}

function searchReturnAddress(
  { locals, saved }: FrameData,
  esp: bigint,
  read: Unwinder['read'],
  moduleAt: Unwinder['moduleAt'],
): bigint {
  const start = esp + BigInt(locals + saved)
  for (let i = 0n; i < RETURN_SEARCH_WORDS; i++) {
    const value = read(start + i * 4n)
    if (value !== undefined && moduleAt(value)) return start + i * 4n
  }
  return start
}

/** A leaf function has no frame; its return address is still in the link register. */
function unwindByLinkRegister(
  { cpu, read, moduleAt, symbolsFor }: Unwinder,
  registers: Registers,
): Caller | undefined {
  if (!cpu.lr) return undefined
  const lr = registers[cpu.lr]!
  const module = moduleAt(lr)
  const pc = registers[cpu.pc]!
  const functionAt = (address: bigint, of: Module | undefined) =>
    of && symbolsFor(of)?.find(Number(address - of.base))?.function
  const caller_name = functionAt(lr, module)
  const is_same_function = caller_name !== undefined && caller_name === functionAt(pc, moduleAt(pc))
  // An address just before the pc is left over from a call that this function itself made.
  const is_stale = lr <= pc && pc - lr < JUST_RETURNED
  const is_in_frame = lr === read(registers[cpu.fp]! + BigInt(cpu.word))
  if (!module || is_in_frame || is_same_function || is_stale) return undefined
  return { registers: { ...registers, [cpu.pc]: lr, [cpu.lr]: 0n }, trust: 'link_register' }
}

function unwindByFramePointer(
  { cpu, read, moduleAt }: Unwinder,
  registers: Registers,
): Caller | undefined {
  const width = BigInt(cpu.word)
  const fp = registers[cpu.fp]!
  const caller_fp = read(fp)
  const ra = read(fp + width)
  if (fp < registers[cpu.sp]! || caller_fp === undefined || ra === undefined || !moduleAt(ra))
    return undefined
  if (caller_fp !== 0n && caller_fp <= fp) return undefined
  return {
    registers: { ...registers, [cpu.pc]: ra, [cpu.sp]: fp + 2n * width, [cpu.fp]: caller_fp },
    trust: 'frame_pointer',
  }
}

/**
 * The last resort: the next word on the stack that could be a return address. It may be left over
 * from an earlier call.
 */
function unwindByScan(
  { cpu, read, moduleAt, symbolsFor }: Unwinder,
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
    const symbols = symbolsFor(module)
    if (symbols && !symbols.find(Number(value - module.base) - 1)) continue
    return {
      registers: { ...registers, [cpu.pc]: value, [cpu.sp]: address + width },
      trust: 'scan',
    }
  }
  return undefined
}
