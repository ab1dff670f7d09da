import { type Command, type Flag, flagsOf, type Given } from './command.ts'
import { UsageError } from './errors.ts'
import { nearest } from './terminal/suggestion.ts'

export type Parsed = Given & { command: Command | undefined; words: string[] }
type Values = Map<string, string[]>

/** Reads the words of a command line: which command, its flags wherever they stand, and the rest. */
export function parseArgs(words: string[], commands: readonly Command[]): Parsed {
  const rest = [...words]
  const values: Values = new Map()
  const path: string[] = []
  let command: Command | undefined
  while (rest.length && !command) {
    const word = rest.shift()!
    if (word.startsWith('-') && word !== '-') {
      takeFlag(word, rest, flagsOf(undefined), values)
      continue
    }
    path.push(word)
    command = findCommand(path, commands)
    if (!command && !isGroup(path, commands)) unknownCommand(path, commands)
  }
  const args = command ? takeRest(rest, command, values) : []
  return { command, words: path, args, ...given(values, command) }
}

function takeRest(rest: string[], command: Command, values: Values): string[] {
  const args: string[] = []
  while (rest.length) {
    const word = rest.shift()!
    if (word === '--') args.push(...rest.splice(0))
    else if (word.startsWith('-') && word !== '-')
      takeFlag(word, rest, flagsOf(command), values, command)
    else args.push(word)
  }
  return args
}

const findCommand = (path: string[], commands: readonly Command[]) =>
  commands.find(({ name }) => name === path.join(' '))
const isGroup = (path: string[], commands: readonly Command[]) =>
  commands.some(({ name }) => name.startsWith(`${path.join(' ')} `))

function unknownCommand(path: string[], commands: readonly Command[]): never {
  const asked = path.join(' ')
  const names = commands.map(({ name }) => name)
  const close = nearest(asked, [...names, ...names.map((name) => name.split(' ')[0]!)])
  throw new UsageError(
    `there is no command "${asked}"`,
    close ? `did you mean slipway ${close}?` : 'slipway --help lists the commands',
  )
}

function takeFlag(word: string, rest: string[], flags: Flag[], values: Values, command?: Command) {
  const [written, inline] = splitOnce(word, '=')
  const name = written === '-h' ? 'help' : written === '-v' ? 'version' : written.slice(2)
  const flag =
    written.startsWith('--') || written.length === 2
      ? flags.find((one) => one.name === name)
      : undefined
  if (!flag) unknownFlag(written, flags, command)
  if (!flag.value) {
    if (inline !== undefined) throw new UsageError(`--${name} takes no value`)
    return void values.set(name, ['true'])
  }
  const value = inline ?? rest.shift()
  if (value === undefined || (inline === undefined && value.startsWith('--')))
    throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`)
  values.set(name, flag.many ? [...(values.get(name) ?? []), value] : [value])
}

function unknownFlag(written: string, flags: Flag[], command: Command | undefined): never {
  const close = nearest(
    written.replace(/^-+/, ''),
    flags.map(({ name }) => name),
  )
  const help = `slipway ${command ? `${command.name} ` : ''}--help lists the flags`
  throw new UsageError(`unknown flag ${written}`, close ? `did you mean --${close}?` : help)
}

function given(values: Values, command: Command | undefined): Omit<Given, 'args'> {
  const flags = flagsOf(command)
  const text = (name: string) =>
    values.get(name)?.at(-1) ?? flags.find((flag) => flag.name === name)?.default
  return { text, has: (name) => values.has(name), list: (name) => values.get(name) ?? [] }
}

/** What a command cannot do without. */
export function checkGiven(command: Command, { args, text }: Given): void {
  for (const { name, value, required } of command.flags ?? [])
    if (required && !text(name)?.trim())
      throw new UsageError(`slipway ${command.name} needs --${name} ${value}`, usageHint(command))
  const wanted = command.args ?? []
  const least = wanted.filter(({ optional }) => !optional).length
  if (args.length < least)
    throw new UsageError(
      `slipway ${command.name} needs ${wanted[args.length]!.name}`,
      usageHint(command),
    )
  if (!wanted.at(-1)?.many && args.length > wanted.length)
    throw new UsageError(
      `"${args[wanted.length]}" is one word too many for slipway ${command.name}`,
      usageHint(command),
    )
}

const usageHint = ({ name }: Command) => `slipway ${name} --help shows how`

function splitOnce(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + by.length)]
}
