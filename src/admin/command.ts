import type { Config } from '../core/runtime/config.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal } from '../core/runtime/errors.ts'
import { isUuid } from '../core/security/crypto.ts'

/**
 * The input of a command. A long command checks `signal` between its steps, each of which is
 * complete in itself, so that the command can be stopped and run again.
 */
export type Run = {
  core: Core
  args: string[]
  flags: ReadonlySet<string>
  /** The values of options, by name with its dashes. */
  options: Readonly<Record<string, string | undefined>>
  progress: (text: string) => void
  signal: AbortSignal
}

/** The input of a command that opens what it needs itself, such as a database that is empty. */
export type RunAlone = Omit<Run, 'core'> & {
  config: Config
}

/** The text to print, with an exit code if a check may have found problems. */
export type Output = string | { text: string; code: number }

type Description = {
  name: string
  /** The arguments, as the help shows them. */
  takes?: string
  flags?: readonly string[]
  /** Flags that take a value, as `--since <day>`. */
  options?: readonly string[]
  summary: string
  /** What the command does, what it does not change, and what to do next. */
  help: string
}
export type Command = Description & { run: (run: Run) => Promise<Output> }
export type StandaloneCommand = Description & { runAlone: (run: RunAlone) => Promise<Output> }

/** The command, its arguments or its flags are not valid; the message names which. */
export class UsageError extends Error {
  constructor(message = 'An argument is missing, unknown or too many.') {
    super(message)
  }
}

/** A mistake of the operator, which the message explains in a sentence. */
export class AdminError extends Error {}

export const EXIT = { done: 0, failed: 1, usage: 2, problems: 3, stopped: 130 } as const

/** The meaning of each exit code, as the help lists them. */
export const exitMeanings: Record<keyof typeof EXIT, string> = {
  done: 'done',
  failed: 'failed',
  usage: 'wrong usage',
  problems: 'a check found problems',
  stopped: 'stopped by Ctrl-C (finished steps are kept; run it again to continue)',
}

/** The message about arguments after so many. */
export const tooMany = (args: string[], count: number) => `Unexpected argument: ${args[count]}`

export const oneArgument = ({ args }: Pick<Run, 'args'>): string => {
  if (args.length !== 1) throw new UsageError(args.length ? tooMany(args, 1) : undefined)
  return args[0]!
}

export const uidArgument = (text: string): string => {
  if (!isUuid(text)) throw new AdminError(`${text} is no uid`)
  return text.toLowerCase()
}

export const noArguments = ({ args }: Pick<Run, 'args'>): void => {
  if (args.length) throw new UsageError(tooMany(args, 0))
}

export const isOneOf = <T extends string>(values: readonly T[], text: string): text is T =>
  (values as readonly string[]).includes(text)

/** How much a command that lists something prints. */
export const LIST_WINDOW = { limit: 100, offset: 0 }

/** One line per row, and how many there are if that is more. */
export function listLines(lines: string[], total: number, none: string): string {
  if (!lines.length) return none
  return [...lines, ...(total > lines.length ? [`… ${total} in all`] : [])].join('\n')
}

/** A refusal by the rules of the console is a mistake of the operator. */
export async function refusalText<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw error instanceof Refusal ? new AdminError(error.message) : error
  }
}
