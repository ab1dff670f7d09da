import type { Api } from './http/api.ts'
import type { Settings } from './settings.ts'
import type { Ui } from './terminal/ui.ts'

export type Flag = {
  name: string
  /** What stands for its value in the help; a flag without one is a switch. */
  value?: string
  summary: string
  default?: string
  required?: boolean
  /** May be given several times. */
  many?: boolean
  /** The words it takes, for completion. */
  words?: readonly string[]
}
export type Argument = {
  name: string
  summary: string
  optional?: boolean
  many?: boolean
  words?: readonly string[]
}

/** What a command leaves: an object for programs, lines for people, and how it ends. */
export type Outcome = { json: Record<string, unknown>; lines: string[]; exit_code?: number }

export type Given = {
  args: string[]
  /** The value of a flag, or its default. */
  text: (name: string) => string | undefined
  has: (name: string) => boolean
  list: (name: string) => string[]
}

export type Context = Given & {
  ui: Ui
  cwd: string
  env: NodeJS.ProcessEnv
  /** Read when first needed, so that commands which talk to nobody need no key. */
  settings: () => Promise<Settings>
  api: () => Promise<Api>
  /** Told when the user ends the command early. */
  signal: AbortSignal
}

export type Command = {
  /** One word, or two such as "media cover". */
  name: string
  summary: string
  /** Paragraphs below the summary. */
  details?: string[]
  args?: Argument[]
  flags?: Flag[]
  examples?: string[]
  /** Talks to no server, so that its help leaves out how to reach one. */
  is_local?: boolean
  run: (context: Context) => Promise<Outcome>
}

/** On every command. */
export const globalFlags: Flag[] = [
  {
    name: 'access',
    value: '<token>',
    summary: 'Access token of your deploy key, in place of SVC_ACCESS_TOKEN',
  },
  {
    name: 'secret',
    value: '<key>',
    summary: 'Its secret; others on this machine can see it, so prefer SVC_SECRET_KEY',
  },
  { name: 'secret-stdin', summary: 'Read the secret from the first line of standard input' },
  {
    name: 'secret-file',
    value: '<path>',
    summary: 'Read the secret from a file that only you can read',
  },
  {
    name: 'url',
    value: '<base>',
    summary: 'Address of the API, ending in /api/v1, in place of SVC_API_URL',
  },
  {
    name: 'upload',
    value: '<base>',
    summary: 'Address for uploads, in place of SVC_UPLOAD_URL; the API unless set',
  },
  { name: 'json', summary: 'Print one JSON object; everything else goes to standard error' },
  { name: 'version', summary: 'Print the version of slipway' },
  { name: 'help', summary: 'Show this help' },
]

/** What a command that talks to nobody still has. */
export const localFlags = new Set(['json', 'version', 'help'])

/** Those a command has: its own come first, and one of the same name replaces the global one. */
export function flagsOf(command: Command | undefined): Flag[] {
  const own = command?.flags ?? []
  return [...own, ...globalFlags.filter(({ name }) => !own.some((flag) => flag.name === name))]
}
