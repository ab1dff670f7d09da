import type { Arch, Slice } from './minidump.ts'

export type Registers = Record<string, bigint>
export type Cpu = {
  word: 4 | 8
  /** Register names, as in symbol files. */
  pc: string
  sp: string
  fp: string
  lr?: string
  registers: Record<string, number>
}

const layout64 = (names: string[], first: number) =>
  Object.fromEntries(names.map((name, i) => [name, first + i * 8]))
const layout32 = (names: string[], first: number) =>
  Object.fromEntries(names.map((name, i) => [name, first + i * 4]))
const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${letter}${i}`)

const X86_64_REGISTERS =
  '$rax $rcx $rdx $rbx $rsp $rbp $rsi $rdi $r8 $r9 $r10 $r11 $r12 $r13 $r14 $r15 $rip'

/** The offset of each register in the thread context of a dump. */
export const cpus: Partial<Record<Arch, Cpu>> = {
  x86_64: {
    word: 8,
    pc: '$rip',
    sp: '$rsp',
    fp: '$rbp',
    registers: layout64(X86_64_REGISTERS.split(' '), 120),
  },
  x86: {
    word: 4,
    pc: '$eip',
    sp: '$esp',
    fp: '$ebp',
    registers: {
      ...layout32('$edi $esi $ebx $edx $ecx $eax $ebp $eip'.split(' '), 156),
      $esp: 196,
    },
  },
  arm64: {
    word: 8,
    pc: 'pc',
    sp: 'sp',
    fp: 'x29',
    lr: 'x30',
    registers: { ...layout64(numbered('x', 31), 8), sp: 256, pc: 264 },
  },
  arm: {
    word: 4,
    pc: 'pc',
    sp: 'sp',
    fp: 'r11',
    lr: 'lr',
    registers: { ...layout32(numbered('r', 13), 4), sp: 56, lr: 60, pc: 64 },
  },
}

export function readRegisters(cpu: Cpu, bytes: Buffer, { at, size }: Slice): Registers | undefined {
  const end = Math.max(...Object.values(cpu.registers)) + cpu.word
  if (size < end || at + end > bytes.length) return undefined
  const read = (offset: number) =>
    cpu.word === 8 ? bytes.readBigUInt64LE(at + offset) : BigInt(bytes.readUInt32LE(at + offset))
  return Object.fromEntries(
    Object.entries(cpu.registers).map(([name, offset]) => [name, read(offset)]),
  )
}
