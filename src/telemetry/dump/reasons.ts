import type { Exception } from './minidump.ts'

const hex = (value: number | bigint, digits = 0) => `0x${value.toString(16).padStart(digits, '0')}`

const windows: Record<number, string> = {
  2147483649: 'EXCEPTION_GUARD_PAGE',
  2147483651: 'EXCEPTION_BREAKPOINT',
  2147483652: 'EXCEPTION_SINGLE_STEP',
  3221225477: 'EXCEPTION_ACCESS_VIOLATION',
  3221225478: 'EXCEPTION_IN_PAGE_ERROR',
  3221225495: 'STATUS_NO_MEMORY',
  3221225501: 'EXCEPTION_ILLEGAL_INSTRUCTION',
  3221225509: 'EXCEPTION_NONCONTINUABLE_EXCEPTION',
  3221225612: 'EXCEPTION_ARRAY_BOUNDS_EXCEEDED',
  3221225614: 'EXCEPTION_FLT_DIVIDE_BY_ZERO',
  3221225620: 'EXCEPTION_INT_DIVIDE_BY_ZERO',
  3221225622: 'EXCEPTION_PRIV_INSTRUCTION',
  3221225725: 'EXCEPTION_STACK_OVERFLOW',
  3221226356: 'STATUS_HEAP_CORRUPTION',
  3221226505: 'STATUS_STACK_BUFFER_OVERRUN',
  3765269347: 'Unhandled C++ Exception',
}
const signals: Record<number, string> = {
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  11: 'SIGSEGV',
  31: 'SIGSYS',
}
const segv: Record<number, string> = { 1: 'SEGV_MAPERR', 2: 'SEGV_ACCERR' }
const mach: Record<number, string> = {
  1: 'EXC_BAD_ACCESS',
  2: 'EXC_BAD_INSTRUCTION',
  3: 'EXC_ARITHMETIC',
  5: 'EXC_SOFTWARE',
  6: 'EXC_BREAKPOINT',
  10: 'EXC_CRASH',
  11: 'EXC_RESOURCE',
  12: 'EXC_GUARD',
}
const access: Record<string, string> = { '0': 'READ', '1': 'WRITE', '8': 'EXEC' }

/** The reasons of dumps that a program wrote without crashing. */
export const NO_EXCEPTION = 'No crash: the dump was requested'
const DUMP_REQUESTED = 'DUMP_REQUESTED'

export const isRequestedDump = (reason: string | null) =>
  reason === NO_EXCEPTION || reason === DUMP_REQUESTED

/** The reason of a crash, as the operating system names it. */
export function crashReason(os: string, { code, flags, info }: Exception): string {
  if (os === 'windows') {
    const kind = code === 0xc0000005 ? access[String(info[0])] : undefined
    return [windows[code] ?? hex(code, 8), kind].filter(Boolean).join('_')
  }
  if (os === 'macos' || os === 'ios') return `${mach[code] ?? hex(code)} / ${hex(flags, 8)}`
  const detail = code === 11 ? segv[flags] : undefined
  return [signals[code] ?? (code === 0xffffffff ? DUMP_REQUESTED : hex(code)), detail]
    .filter(Boolean)
    .join(' / ')
}

/** For access violations the address accessed, otherwise the address of the instruction. */
export function crashAddress(os: string, { code, address, info }: Exception): string {
  return hex(os === 'windows' && code === 0xc0000005 && info[1] !== undefined ? info[1] : address)
}
