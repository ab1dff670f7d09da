import { DumpError, type Module, readMinidump, type Thread } from './minidump.ts'
import { crashAddress, crashReason } from './reasons.ts'
import { openSymbols, type Symbols } from './symbols.ts'
import { type Frame, MAX_FRAMES, openWalk, type Walk, walkThread } from './unwind.ts'

const OTHER_THREADS = 32
const OTHER_FRAMES = 30
const MAX_STACK_TEXT = 128 * 1024

export type ShownFrame = {
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
  frames: ShownFrame[]
  modules: { name: string; debug_id: string; symbols: boolean }[]
}
export type Analysed = { analysis: Analysis; stack: string; missing_symbols: boolean }
/** Where the symbol file of a module lies on this machine, by debug id. */
export type SymbolPaths = Record<string, string>

/** Everything a dump tells, with the symbols there are. Only this file is called from outside, and only in a thread that may be ended. */
export function analyseDump(bytes: Buffer, paths: SymbolPaths): Analysed {
  const dump = readMinidump(bytes)
  const { open, has, closeAll } = symbolCabinet(paths)
  try {
    const walk = openWalk(dump, open)
    const crashed = dump.exception
    const context =
      crashed && isThere(crashed.context, bytes)
        ? crashed.context
        : dump.threads.find(({ id }) => id === crashed?.thread_id)?.context
    const start = context ?? dump.threads[0]?.context
    const frames = walk && start ? walkThread(walk, start) : []
    const analysis: Analysis = {
      crash_reason: crashed ? crashReason(dump.os, crashed) : 'No crash: the dump was asked for',
      crash_address: crashed ? crashAddress(dump.os, crashed) : '0x0',
      ...{ os: dump.os, arch: dump.arch },
      ...noteFor(dump.arch, walk, frames),
      frames: frames.map(shown),
      modules: dump.modules
        .slice(0, 200)
        .map(({ name, debug_id }) => ({ name, debug_id, symbols: has(debug_id) })),
    }
    const others = walk
      ? dump.threads.filter(({ id }) => id !== crashed?.thread_id).slice(0, OTHER_THREADS)
      : []
    const stack = stackText(
      analysis,
      others.map((thread) => ({ thread, frames: walkThread(walk!, thread.context, OTHER_FRAMES) })),
    )
    return {
      analysis,
      stack,
      missing_symbols: frames.some(({ module }) => module && !has(module.debug_id)),
    }
  } finally {
    closeAll()
  }
}

const isThere = ({ at, size }: { at: number; size: number }, bytes: Buffer) =>
  size > 0 && at + size <= bytes.length

function noteFor(arch: string, walk: Walk | undefined, frames: Frame[]): { note?: string } {
  if (!walk) return { note: `The stacks of ${arch} programs cannot be walked here` }
  if (frames.length === 0) return { note: 'The dump holds no registers of the thread that crashed' }
  if (frames.length === MAX_FRAMES)
    return { note: `Only the first ${MAX_FRAMES} frames were walked` }
  if (frames.some(({ trust }) => trust === 'scan'))
    return {
      note: 'Some frames were only found on the stack and may be left over from earlier calls',
    }
  return {}
}

/** Opened when first asked for; one that cannot be read is as good as none. */
function symbolCabinet(paths: SymbolPaths) {
  const opened = new Map<string, Symbols | undefined>()
  const open = ({ debug_id }: Module): Symbols | undefined => {
    if (!debug_id || !Object.hasOwn(paths, debug_id)) return undefined
    if (!opened.has(debug_id)) opened.set(debug_id, openOrNone(paths[debug_id]!))
    return opened.get(debug_id)
  }
  const has = (debug_id: string) =>
    Object.hasOwn(paths, debug_id) && !(opened.has(debug_id) && !opened.get(debug_id))
  const closeAll = () => {
    for (const symbols of opened.values()) symbols?.close()
  }
  return { open, has, closeAll }
}

function openOrNone(path: string): Symbols | undefined {
  try {
    return openSymbols(path)
  } catch {
    return undefined
  }
}

const hex = (value: number | bigint) => `0x${value.toString(16)}`

const shown = ({
  address,
  module,
  offset,
  trust,
  function: name,
  file,
  line,
}: Frame): ShownFrame => ({
  module: module?.name ?? '',
  offset: hex(offset ?? address),
  ...(name === undefined ? {} : { function: name }),
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line }),
  trust,
})

const frameText = ({ module, offset, function: name, file, line, trust }: ShownFrame, i: number) =>
  `${String(i).padStart(3)}  ${name === undefined ? `${module || '(no module)'} + ${offset}` : `${module}!${name}`}${file ? ` [${file}${line === undefined ? '' : ` : ${line}`}]` : ''}  (${trust})`

function stackText(
  { crash_reason, crash_address, os, arch, note, frames }: Analysis,
  others: { thread: Thread; frames: Frame[] }[],
): string {
  const parts = [
    [
      `Operating system: ${os}`,
      `CPU: ${arch}`,
      `Crash reason: ${crash_reason}`,
      `Crash address: ${crash_address}`,
      ...(note ? [`Note: ${note}`] : []),
    ],
    ['Thread that crashed', ...frames.map(frameText)],
    ...others.map(({ thread, frames }) => [
      `Thread ${thread.id}`,
      ...frames.map((frame, i) => frameText(shown(frame), i)),
    ]),
  ]
  return parts
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .slice(0, MAX_STACK_TEXT)
}

/** What was no dump is told as such; anything else is a fault of ours. */
export const isNoDump = (error: unknown): error is DumpError => error instanceof DumpError
