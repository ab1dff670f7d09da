import type { Api } from './http/api.ts'
import { later, type Text } from './messages.ts'
import type { Settings } from './settings.ts'
import type { Ui } from './terminal/ui.ts'

export type Flag = {
  name: string
  /** The placeholder of its value in the help; a flag without one is a switch. */
  value?: string
  summary: Text
  default?: string
  required?: boolean
  /** May be given several times. */
  many?: boolean
  /** The values it accepts, for completion. */
  words?: readonly string[]
}
export type Argument = {
  name: string
  summary: Text
  optional?: boolean
  many?: boolean
  words?: readonly string[]
}

/** The result of a command: an object for programs, lines for people, and an exit code. */
export type Outcome = {
  json: Record<string, unknown>
  lines: string[]
  exit_code?: number
  /** The command wrote its output while it ran. */
  is_printed?: boolean
}

export type Arguments = {
  args: string[]
  /** The value of a flag, or its default. */
  text: (name: string) => string | undefined
  has: (name: string) => boolean
  list: (name: string) => string[]
}

export type Context = Arguments & {
  ui: Ui
  cwd: string
  env: NodeJS.ProcessEnv
  /** Read on first use, so that commands without a server need no key. */
  settings: () => Promise<Settings>
  api: () => Promise<Api>
  /** Aborted when the user interrupts the command. */
  signal: AbortSignal
  /** Runs for a launcher, which reads standard output. */
  is_daemon?: boolean
}

export type Command = {
  /** One word, or two such as "media cover". */
  name: string
  summary: Text
  /** Paragraphs below the summary. */
  details?: Text[]
  args?: Argument[]
  flags?: Flag[]
  examples?: string[]
  /** Needs no server, so its help leaves out the flags for reaching one. */
  is_local?: boolean
  /** With --json, launchers that read standard error get progress as lines of JSON. */
  has_progress_events?: boolean
  run: (context: Context) => Promise<Outcome>
}

/** Flags of every command. */
export const globalFlags: Flag[] = [
  {
    name: 'access',
    value: '<token>',
    summary: later('flag-access'),
  },
  {
    name: 'secret',
    value: '<key>',
    summary: later('flag-secret'),
  },
  { name: 'secret-stdin', summary: later('flag-secret-stdin') },
  {
    name: 'secret-file',
    value: '<path>',
    summary: later('flag-secret-file'),
  },
  {
    name: 'url',
    value: '<base>',
    summary: later('flag-url'),
  },
  {
    name: 'upload',
    value: '<base>',
    summary: later('flag-upload'),
  },
  { name: 'json', summary: later('flag-json') },
  { name: 'version', summary: later('flag-version') },
  { name: 'help', summary: later('flag-help') },
]

/** Global flags of commands without a server. */
export const localFlags = new Set(['json', 'version', 'help'])

/** All flags of a command: its own first; one of the same name replaces the global one. */
export function flagsOf(command: Command | undefined): Flag[] {
  const own = command?.flags ?? []
  return [...own, ...globalFlags.filter(({ name }) => !own.some((flag) => flag.name === name))]
}
