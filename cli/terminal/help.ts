import { type Command, type Flag, flagsOf, globalFlags, localFlags } from '../command.ts'
import { wrap } from '../documents/text.ts'
import { exits } from '../errors.ts'
import { t } from '../messages.ts'

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
    group ? t('help-group', { count: listed.length, group }) : t('help-about'),
    '',
    t('help-usage'),
    `  slipway ${group ? `${group} ` : ''}${t('help-usage-command')}`,
    '',
    t('help-commands'),
    ...columns(listed.map(({ name, summary }) => [name, summary()])),
    '',
    ...(group ? [] : firstSteps()),
    t('help-global-flags'),
    ...columns(globalFlags.map(flagRow)),
    '',
    ...(group
      ? []
      : [
          t('help-environment'),
          ...columns(environment()),
          '',
          t('help-exit-codes'),
          ...columns(exitCodes()),
          '',
        ]),
    t('help-more'),
  ]
}

const firstSteps = () => [
  t('help-publish'),
  '  export SVC_ACCESS_TOKEN=...  SVC_SECRET_KEY=...',
  '  slipway push build/linux --version 1.0.0 --os linux --wait',
  '',
]

export const environment = (): [string, string][] => [
  ['SVC_ACCESS_TOKEN', t('env-access-token')],
  ['SVC_SECRET_KEY', t('env-secret-key')],
  ['SVC_API_URL', t('env-api-url')],
  ['SVC_UPLOAD_URL', t('env-upload-url')],
  ['SLIPWAY_PLAYER_KEY', t('env-player-key')],
  ['SLIPWAY_GAMES', t('env-games')],
  ['SLIPWAY_CONFIG', t('env-config')],
  ['HTTPS_PROXY, NO_PROXY', t('env-proxy')],
  ['TMPDIR', t('env-tmpdir')],
  ['LC_ALL, LC_MESSAGES, LANG', t('env-language')],
  ['SLIPWAY_TIMEOUT_SECONDS', t('env-timeout')],
  ['SLIPWAY_RETRY_SECONDS', t('env-retry')],
]
export const exitCodes = (): [string, string][] => [
  ['0', t('exit-done')],
  [String(exits.usage), t('exit-usage')],
  [String(exits.refused), t('exit-refused')],
  [String(exits.network), t('exit-network')],
  [String(exits.not_clean), t('exit-not-clean')],
  [String(exits.damaged), t('exit-damaged')],
  [String(exits.interrupted), t('exit-interrupted')],
]

function commandHelp(command: Command): string[] {
  const own = command.flags ?? []
  return [
    ...wrap(`${command.summary()}.`, COLUMNS),
    ...(command.details ?? []).flatMap((paragraph) => ['', ...wrap(paragraph(), COLUMNS)]),
    '',
    t('help-usage'),
    `  ${usage(command)}`,
    ...(command.args?.length
      ? [
          '',
          t('help-arguments'),
          ...columns(command.args.map(({ name, summary }) => [name, summary()])),
        ]
      : []),
    ...(own.length ? ['', t('help-flags'), ...columns(own.map(flagRow))] : []),
    '',
    t('help-global-flags'),
    ...columns(
      flagsOf(command)
        .filter((flag) => !own.includes(flag) && (!command.is_local || localFlags.has(flag.name)))
        .map(flagRow),
    ),
    ...(command.examples?.length
      ? ['', t('help-examples'), ...command.examples.map((line) => `  ${line}`)]
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
  return `slipway ${name}${words.join('')}${needed.join('')} ${t('help-flags-word')}`
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
    ...(required ? [t('help-required')] : []),
    ...(preset ? [t('help-default', { value: preset })] : []),
    ...(many ? [t('help-many')] : []),
  ]
  return [
    `--${name}${value ? ` ${value}` : ''}`,
    `${summary()}${notes.length ? ` (${notes.join('; ')})` : ''}`,
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
