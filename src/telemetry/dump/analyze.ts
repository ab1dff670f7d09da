import {
  DumpError,
  type Minidump,
  type Module,
  readMinidump,
  type Slice,
  type Thread,
} from './minidump.ts'
import { crashAddress, crashReason, NO_EXCEPTION } from './reasons.ts'
import { openSymbols, type Symbols } from './symbols.ts'
import { createUnwinder, type Frame, MAX_FRAMES, type Unwinder, walkThread } from './unwind.ts'

/** Limits for the threads that did not crash. */
const OTHER_THREADS = 32
const OTHER_FRAMES = 30
const MAX_MODULES = 200
const MAX_STACK_TEXT = 128 * 1024

export type FrameView = {
  module: string
  offset: string
  function?: string
  file?: string
  line?: number
  trust: string
}
export type Analysis = {
  crash_reason: string
  crash_address: string
  os: string
  arch: string
  /** Why there are no frames, or fewer than there could be. */
  note?: string
  frames: FrameView[]
  modules: { name: string; debug_id: string; symbols: boolean }[]
}
export type DumpAnalysis = { analysis: Analysis; stack: string; missing_symbols: boolean }
/** Paths of local symbol files, by debug id. */
export type SymbolPaths = Record<string, string>

/**
 * Analyzes a dump with the symbols available. Call it only in a thread that can be terminated: a
 * hostile dump may take very long.
 */
export function analyzeDump(bytes: Buffer, paths: SymbolPaths): DumpAnalysis {
  const dump = readMinidump(bytes)
  const symbols = openOnDemand(paths)
  try {
    const unwinder = createUnwinder(dump, symbols.open)
    const { exception } = dump
    const context = crashContext(dump)
    const frames = unwinder && context ? walkThread(unwinder, context) : []
    const analysis: Analysis = {
      crash_reason: exception ? crashReason(dump.os, exception) : NO_EXCEPTION,
      crash_address: exception ? crashAddress(dump.os, exception) : '0x0',
      os: dump.os,
      arch: dump.arch,
      ...noteFor(dump.arch, unwinder, frames),
      frames: frames.map(toFrameView),
      modules: dump.modules
        .slice(0, MAX_MODULES)
        .map(({ name, debug_id }) => ({ name, debug_id, symbols: symbols.has(debug_id) })),
    }
    return {
      analysis,
      stack: stackText(analysis, unwinder ? otherStacks(unwinder, dump) : []),
      missing_symbols: frames.some(({ module }) => module && !symbols.has(module.debug_id)),
    }
  } finally {
    symbols.closeAll()
  }
}

/** The registers at the crash, or else those of the crashed thread, or else of the first thread. */
function crashContext({ bytes, exception, threads }: Minidump): Slice | undefined {
  if (exception && isWithin(exception.context, bytes)) return exception.context
  const crashed = threads.find(({ id }) => id === exception?.thread_id)
  return (crashed ?? threads[0])?.context
}

const isWithin = ({ at, size }: Slice, bytes: Buffer) => size > 0 && at + size <= bytes.length

type ThreadStack = { thread: Thread; frames: Frame[] }

const otherStacks = (unwinder: Unwinder, { threads, exception }: Minidump): ThreadStack[] =>
  threads
    .filter(({ id }) => id !== exception?.thread_id)
    .slice(0, OTHER_THREADS)
    .map((thread) => ({ thread, frames: walkThread(unwinder, thread.context, OTHER_FRAMES) }))

function noteFor(arch: string, unwinder: Unwinder | undefined, frames: Frame[]): { note?: string } {
  if (!unwinder) return { note: `Stack walks of ${arch} programs are not supported` }
  if (frames.length === 0)
    return { note: 'The dump does not contain the registers of the crashed thread' }
  if (frames.length === MAX_FRAMES)
    return { note: `The stack was walked up to its limit of ${MAX_FRAMES} frames` }
  if (frames.some(({ trust }) => trust === 'scan'))
    return {
      note: 'Some frames were only found on the stack; they may be left over from earlier calls',
    }
  return {}
}

/** Opens symbol files on first use. An unreadable file is treated as missing. */
function openOnDemand(paths: SymbolPaths) {
  const opened = new Map<string, Symbols | undefined>()
  const open = ({ debug_id }: Module): Symbols | undefined => {
    if (!debug_id || !Object.hasOwn(paths, debug_id)) return undefined
    if (!opened.has(debug_id)) opened.set(debug_id, openOrUndefined(paths[debug_id]!))
    return opened.get(debug_id)
  }
  const has = (debug_id: string) =>
    Object.hasOwn(paths, debug_id) && !(opened.has(debug_id) && !opened.get(debug_id))
  const closeAll = () => {
    for (const symbols of opened.values()) symbols?.close()
  }
  return { open, has, closeAll }
}

function openOrUndefined(path: string): Symbols | undefined {
  try {
    return openSymbols(path)
  } catch {
    return undefined
  }
}

const hex = (value: number | bigint) => `0x${value.toString(16)}`

const toFrameView = ({
  address,
  module,
  offset,
  trust,
  function: name,
  file,
  line,
}: Frame): FrameView => ({
  module: module?.name ?? '',
  offset: hex(offset ?? address),
  ...(name === undefined ? {} : { function: name }),
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line }),
  trust,
})

function frameText(frame: FrameView, i: number): string {
  const { module, offset, function: name, file, line, trust } = frame
  const place = name === undefined ? `${module || '(no module)'} + ${offset}` : `${module}!${name}`
  const source = file ? ` [${file}${line === undefined ? '' : ` : ${line}`}]` : ''
  return `${String(i).padStart(3)}  ${place}${source}  (${trust})`
}

function stackText(
  { crash_reason, crash_address, os, arch, note, frames }: Analysis,
  other_stacks: ThreadStack[],
): string {
  const parts = [
    [
      `Operating system: ${os}`,
      `CPU: ${arch}`,
      `Crash reason: ${crash_reason}`,
      `Crash address: ${crash_address}`,
      ...(note ? [`Note: ${note}`] : []),
    ],
    ['Crashed thread', ...frames.map(frameText)],
    ...other_stacks.map(({ thread, frames }) => [
      `Thread ${thread.id}`,
      ...frames.map((frame, i) => frameText(toFrameView(frame), i)),
    ]),
  ]
  return parts
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .slice(0, MAX_STACK_TEXT)
}

/** Distinguishes dumps that cannot be read from faults of ours. */
export const isUnreadableDump = (error: unknown): error is DumpError => error instanceof DumpError
