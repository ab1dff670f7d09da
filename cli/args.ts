import { parseArgs } from 'node:util'
import { type Arguments, type Command, type Flag, flagsOf } from './command.ts'
import { UsageError } from './errors.ts'
import { t } from './messages.ts'
import { closest } from './terminal/suggestion.ts'

export type CommandLine = Arguments & { command: Command | undefined; words: string[] }
type Values = Map<string, string[]>
type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
type FlagToken = Extract<Token, { kind: 'option' }>

/** Reads a command line: which command, its flags wherever they appear, and the other arguments. */
export function readCommandLine(words: string[], commands: readonly Command[]): CommandLine {
  const values: Values = new Map()
  const path: string[] = []
  let command: Command | undefined
  let command_end = 0
  for (const token of tokensOf(words, flagsOf(undefined))) {
    if (token.kind === 'option') readFlag(token, flagsOf(undefined), values)
    if (token.kind !== 'positional') continue
    path.push(token.value)
    command = resolveCommand(path, commands)
    command_end = token.index + 1
    if (command) break
  }
  const args = command ? readRest(words.slice(command_end), command, values) : []
  return { command, words: path, args, ...lookups(values, command) }
}

function readRest(words: string[], command: Command, values: Values): string[] {
  const args: string[] = []
  for (const token of tokensOf(words, flagsOf(command))) {
    if (token.kind === 'option') readFlag(token, flagsOf(command), values, command)
    else if (token.kind === 'positional') args.push(token.value)
  }
  return args
}

const shortNames: Record<string, string> = { help: 'h', version: 'v' }

/** Not strict: unknown flags and missing values are refused here, with a suggestion. */
function tokensOf(words: string[], flags: Flag[]): Token[] {
  const options = flags.map(({ name, value }) => {
    const short = value ? undefined : shortNames[name]
    return [name, { type: value ? 'string' : 'boolean', ...(short ? { short } : {}) }] as const
  })
  const { tokens } = parseArgs({
    args: words,
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  return tokens
}

/** The command of this name, or undefined for a group of commands; refuses any other name. */
export function resolveCommand(path: string[], commands: readonly Command[]): Command | undefined {
  const command = commands.find(({ name }) => name === path.join(' '))
  if (!command && !isGroup(path, commands)) unknownCommand(path, commands)
  return command
}

const isGroup = (path: string[], commands: readonly Command[]) =>
  commands.some(({ name }) => name.startsWith(`${path.join(' ')} `))

function unknownCommand(path: string[], commands: readonly Command[]): never {
  const typed = path.join(' ')
  const names = commands.map(({ name }) => name)
  const suggestion = closest(typed, [...names, ...names.map((name) => name.split(' ')[0]!)])
  throw new UsageError(
    t('args-no-command', { command: typed }),
    suggestion ? t('args-did-you-mean', { command: suggestion }) : t('args-list-commands'),
  )
}

function readFlag(token: FlagToken, flags: Flag[], values: Values, command?: Command) {
  const { name, rawName, value, inlineValue } = token
  const flag = flags.find((candidate) => candidate.name === name)
  if (!flag) unknownFlag(rawName, flags, command)
  if (!flag.value) {
    if (inlineValue) throw new UsageError(t('args-no-value', { flag: name }))
    values.set(name, ['true'])
    return
  }
  if (value === undefined || (!inlineValue && value.startsWith('--')))
    throw new UsageError(t('args-needs-value', { flag: name, value: flag.value }))
  values.set(name, flag.many ? [...(values.get(name) ?? []), value] : [value])
}

function unknownFlag(typed: string, flags: Flag[], command: Command | undefined): never {
  const names = flags.map(({ name }) => name)
  const suggestion = closest(typed.replace(/^-+/, ''), names)
  const help = command
    ? t('args-list-command-flags', { command: command.name })
    : t('args-list-flags')
  throw new UsageError(
    t('args-unknown-flag', { flag: typed }),
    suggestion ? t('args-did-you-mean-flag', { flag: suggestion }) : help,
  )
}

function lookups(values: Values, command: Command | undefined): Omit<Arguments, 'args'> {
  const flags = flagsOf(command)
  const text = (name: string) =>
    values.get(name)?.at(-1) ?? flags.find((flag) => flag.name === name)?.default
  return { text, has: (name) => values.has(name), list: (name) => values.get(name) ?? [] }
}

/** Refuses a command line that lacks an argument or a required flag, or has too many arguments. */
export function checkArguments(command: Command, { args, text }: Arguments): void {
  const expected = command.args ?? []
  const required_count = expected.filter(({ optional }) => !optional).length
  if (args.length < required_count) {
    const { name: argument, summary } = expected[args.length]!
    throw new UsageError(
      t('args-needs-argument', { command: command.name, argument, meaning: summary() }),
      usageHint(command),
    )
  }
  for (const { name, value, required } of command.flags ?? [])
    if (required && !text(name)?.trim())
      throw new UsageError(
        t('args-needs-flag', { command: command.name, flag: name, value: value ?? '' }),
        usageHint(command),
      )
  if (!expected.at(-1)?.many && args.length > expected.length)
    throw new UsageError(
      t('args-too-many', { command: command.name, argument: args[expected.length]! }),
      usageHint(command),
    )
}

const usageHint = ({ name }: Command) => t('args-see-help', { command: name })
