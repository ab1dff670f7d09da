import { type Command, type Flag, flagsOf, globalFlags, localFlags } from '../command.ts'
import { count, wrap } from '../documents/text.ts'
import { exits } from '../errors.ts'

const COLUMNS = 80
const INDENT = 2

/** The help of one command, of a group of them, or of all. */
export function help(
  commands: readonly Command[],
  command: Command | undefined,
  words: string[],
): string {
  return `${(command ? commandHelp(command) : overview(commands, words)).join('\n')}\n`
}

function overview(commands: readonly Command[], words: string[]): string[] {
  const group = words.join(' ')
  const listed = commands.filter(({ name }) => !group || name.startsWith(`${group} `))
  return [
    group
      ? `The ${count(listed.length, 'command')} of slipway ${group}.`
      : 'slipway publishes builds, symbols and images to a Slipway server.',
    '',
    'Usage:',
    `  slipway ${group ? `${group} ` : ''}<command> [flags]`,
    '',
    'Commands:',
    ...columns(listed.map(({ name, summary }) => [name, summary])),
    '',
    ...(group ? [] : firstSteps),
    'Flags of every command:',
    ...columns(globalFlags.map(flagRow)),
    '',
    ...(group
      ? []
      : ['Environment:', ...columns(environment), '', 'Exit codes:', ...columns(exitCodes), '']),
    'Run slipway help <command> for details of a command.',
  ]
}

const firstSteps = [
  'Publish a folder:',
  '  export SVC_ACCESS_TOKEN=...  SVC_SECRET_KEY=...',
  '  slipway push build/linux --version 1.0.0 --os linux --wait',
  '',
]

export const environment: [string, string][] = [
  ['SVC_ACCESS_TOKEN', 'Access token of your deploy key'],
  ['SVC_SECRET_KEY', 'Secret of your deploy key'],
  ['SVC_API_URL', 'Address of the server, with or without /api/v1'],
  ['SVC_UPLOAD_URL', 'Upload address; the API address by default'],
  ['HTTPS_PROXY, NO_PROXY', 'Proxy, and hosts to reach without it'],
  ['TMPDIR', 'Folder for temporary zips'],
  ['SLIPWAY_TIMEOUT_SECONDS', 'Time limit for a silent server (default 600)'],
  ['SLIPWAY_RETRY_SECONDS', 'Delay before the first retry; it doubles each time (default 1)'],
]
export const exitCodes: [string, string][] = [
  ['0', 'Done'],
  [String(exits.usage), 'Local error; nothing was sent'],
  [String(exits.refused), 'The server refused the request'],
  [String(exits.network), 'The server could not be reached, after five attempts'],
  [String(exits.not_clean), 'The virus scan was not clean'],
  [String(exits.interrupted), 'Interrupted; run the same command again to resume the upload'],
]

function commandHelp(command: Command): string[] {
  const own = command.flags ?? []
  return [
    ...wrap(`${command.summary}.`, COLUMNS),
    ...(command.details ?? []).flatMap((paragraph) => ['', ...wrap(paragraph, COLUMNS)]),
    '',
    'Usage:',
    `  ${usage(command)}`,
    ...(command.args?.length
      ? ['', 'Arguments:', ...columns(command.args.map(({ name, summary }) => [name, summary]))]
      : []),
    ...(own.length ? ['', 'Flags:', ...columns(own.map(flagRow))] : []),
    '',
    'Flags of every command:',
    ...columns(
      flagsOf(command)
        .filter((flag) => !own.includes(flag) && (!command.is_local || localFlags.has(flag.name)))
        .map(flagRow),
    ),
    ...(command.examples?.length
      ? ['', 'Examples:', ...command.examples.map((line) => `  ${line}`)]
      : []),
  ]
}

export function usage({ name, args = [], flags = [] }: Command): string {
  const needed = flags
    .filter(({ required }) => required)
    .map((flag) => ` --${flag.name} ${flag.value}`)
  const words = args.map(
    ({ name, optional, many }) => ` ${optional ? `[${name}]` : name}${many ? '...' : ''}`,
  )
  return `slipway ${name}${words.join('')}${needed.join('')} [flags]`
}

export function flagRow({
  name,
  value,
  summary,
  default: preset,
  required,
  many,
}: Flag): [string, string] {
  const notes = [
    ...(required ? ['required'] : []),
    ...(preset ? [`default ${preset}`] : []),
    ...(many ? ['may be repeated'] : []),
  ]
  return [
    `--${name}${value ? ` ${value}` : ''}`,
    `${summary}${notes.length ? ` (${notes.join('; ')})` : ''}`,
  ]
}

/** Two columns in 80 characters; a name that is too long gets a line of its own. */
function columns(rows: [string, string][]): string[] {
  const width = Math.min(26, Math.max(...rows.map(([name]) => name.length)))
  const margin = ' '.repeat(INDENT + width + 2)
  return rows.flatMap(([name, text]) => {
    const [first = '', ...more] = wrap(text, COLUMNS - margin.length)
    const rest = more.map((line) => margin + line)
    const head = `${' '.repeat(INDENT)}${name.padEnd(width)}  `
    return name.length > width
      ? [head.trimEnd(), margin + first, ...rest]
      : [(head + first).trimEnd(), ...rest]
  })
}
