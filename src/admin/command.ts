import type { Core } from '../core/runtime/core.ts'

/** What a command is given. Long work asks `signal` between its steps, each of which stands alone. */
export type Run = {
  core: Core
  args: string[]
  flags: ReadonlySet<string>
  progress: (text: string) => void
  signal: AbortSignal
}

export type Command = {
  name: string
  /** Its arguments, as the help writes them. */
  takes?: string
  flags?: readonly string[]
  summary: string
  /** What it does, what it leaves alone, and what to do next. */
  help: string
  /** What to print; with a code where the answer itself is a finding. */
  run: (run: Run) => Promise<string | { text: string; code: number }>
}

/** Asked for in a way that no command understands. */
export class UsageError extends Error {}

/** A mistake of the operator's, told in a sentence. */
export class AdminError extends Error {}

export const EXIT = { done: 0, failed: 1, usage: 2, found: 3, stopped: 130 } as const

export const oneArgument = ({ args }: Pick<Run, 'args'>): string => {
  if (args.length !== 1) throw new UsageError()
  return args[0]!
}

export const noArguments = ({ args }: Pick<Run, 'args'>): void => {
  if (args.length) throw new UsageError()
}
