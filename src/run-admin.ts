import { parseArgs } from 'node:util'
import { approvalCommands } from './admin/approval-commands.ts'
import { backupCommands } from './admin/backup/commands.ts'
import {
  type Command,
  EXIT,
  exitMeanings,
  noArguments,
  type Output,
  type Run,
  type StandaloneCommand,
  UsageError,
} from './admin/command.ts'
import { consoleCommands } from './admin/console-commands.ts'
import { databaseCommands } from './admin/database-commands.ts'
import { drillCommand } from './admin/drill-command.ts'
import { failureText } from './admin/failures.ts'
import { searchCommands } from './admin/index-commands.ts'
import { keyCommands } from './admin/keys/commands.ts'
import { lostKeyCommand } from './admin/keys/replace-lost.ts'
import { ledgerCommands } from './admin/ledger-commands.ts'
import { moderationCommands } from './admin/moderation-commands.ts'
import { openDatabase, requireDataFolder } from './admin/open-database.ts'
import { peopleCommands } from './admin/people-commands.ts'
import { policyCommands } from './admin/policy-commands.ts'
import { queueCommands } from './admin/queue-commands.ts'
import { quotaCommands } from './admin/quota-commands.ts'
import { roleCommands } from './admin/role-commands.ts'
import { settingCommands } from './admin/setting-commands.ts'
import { storageCommands } from './admin/storage-commands.ts'
import { trashCommands } from './admin/trash-commands.ts'
import { migrate } from './core/database/migrate.ts'
import { chooseDrill, type Environment, readConfig } from './core/runtime/config.ts'
import { createLog } from './core/runtime/log.ts'

type AnyCommand = Command | StandaloneCommand

/** Commands for operators. They use the database of a running service, or else start it. */
const commands: AnyCommand[] = [
  ...backupCommands,
  ...databaseCommands,
  ...peopleCommands,
  ...roleCommands,
  ...consoleCommands,
  ...moderationCommands,
  ...approvalCommands,
  ...policyCommands,
  ...queueCommands,
  ...settingCommands,
  ...quotaCommands,
  ...keyCommands,
  lostKeyCommand,
  ...searchCommands,
  ...ledgerCommands,
  ...storageCommands,
  ...trashCommands,
  drillCommand,
]

const synopsisOf = ({ name, takes, flags = [], options = [] }: AnyCommand) =>
  [
    name,
    takes,
    ...[...options, ...flags].filter((flag) => !takes?.includes(flag)).map((flag) => `[${flag}]`),
  ]
    .filter(Boolean)
    .join(' ')
const width = Math.max(...commands.map((command) => synopsisOf(command).length))
const usageLine = (synopsis: string, summary: string) => `  ${synopsis.padEnd(width)}  ${summary}`
const exitNames = Object.keys(EXIT) as (keyof typeof EXIT)[]
const usage = `npm run admin -- <command>

${commands.map((command) => usageLine(synopsisOf(command), command.summary)).join('\n')}
${usageLine('help <command>', 'describe a command and what to do next')}

Exit codes:
${exitNames.map((name) => `  ${String(EXIT[name]).padEnd(3)}  ${exitMeanings[name]}`).join('\n')}
`
const helpOf = (command: AnyCommand) =>
  `npm run admin -- ${synopsisOf(command)}\n\n${command.summary}\n\n${command.help}\n`

type Invocation = Pick<Run, 'args' | 'flags' | 'options'> & { command: AnyCommand }

const isPrefix = (start: string[], words: string[]) => start.every((word, i) => words[i] === word)

const findCommand = (words: string[]) =>
  commands.find(({ name }) => isPrefix(name.split(' '), words))

function parseCommand(words: string[]): Invocation {
  const command = findCommand(words)
  if (!command)
    throw new UsageError(
      words.length ? `There is no command "${words.join(' ')}".` : 'Name a command.',
    )
  const nameOf = (flag: string) => flag.replace(/^--/, '').split(' ')[0]!
  const kinds = Object.fromEntries([
    ...(command.flags ?? []).map((flag) => [nameOf(flag), { type: 'boolean' as const }]),
    ...(command.options ?? []).map((option) => [nameOf(option), { type: 'string' as const }]),
  ]) as Record<string, { type: 'boolean' | 'string' }>
  try {
    const { values, positionals } = parseArgs({
      args: words.slice(command.name.split(' ').length),
      options: kinds,
      allowPositionals: true,
    })
    const given = Object.entries(values).map(([name, value]) => [`--${name}`, value] as const)
    const flags = new Set(given.filter(([, value]) => value === true).map(([name]) => name))
    const options = Object.fromEntries(given.filter(([, value]) => typeof value === 'string'))
    return { command, args: positionals, flags, options: options as Record<string, string> }
  } catch (error) {
    // The rest is advice for programs.
    const [sentence] = (error as Error).message.split(/\.?(?: To specify|\n)/)
    throw new UsageError(`${sentence}.`)
  }
}

type Stream = { isTTY?: boolean; write: (text: string) => unknown }

/** What a process gives to the command that it runs. */
export type Host = {
  environment: () => Environment
  stdout: Stream
  stderr: Stream
  /** From then on, the operator stops the command by this signal. */
  handleStop: () => AbortSignal
}

const PROGRESS_MS = 5_000

function createProgress(stderr: Stream) {
  let last_progress = Date.now()
  return (text: string) => {
    if (stderr.isTTY) stderr.write(`\r\x1b[K${text}`)
    else if (Date.now() - last_progress > PROGRESS_MS) stderr.write(`${text}\n`)
    else return
    last_progress = Date.now()
  }
}

async function run(
  { command, ...input }: Invocation,
  { environment, stderr }: Host,
  signal: AbortSignal,
): Promise<Output> {
  const config = readConfig(environment())
  const progress = createProgress(stderr)
  const stops: (() => unknown)[] = []
  try {
    if ('runAlone' in command) return await command.runAlone({ config, ...input, progress, signal })
    requireDataFolder(config)
    const { url, is_running } = await openDatabase(config, stops)
    const log = createLog({ log_level: 'warn' })
    if (!is_running) await migrate(url, log)
    // Loading all modules takes a second, which help and mistakes do not need.
    const { createCore } = await import('./core/runtime/core.ts')
    const { jobs } = await import('./jobs.ts')
    const core = await createCore(config, url, jobs, log)
    stops.push(() => core.close())
    return await command.run({ core, ...input, progress, signal })
  } finally {
    if (stderr.isTTY) stderr.write('\r\x1b[K')
    for (const stop of stops.reverse()) await stop()
  }
}

/** Until it is stopped; main.ts handles signals and sets the exit code. */
async function startDrill({ args }: Invocation, { environment }: Host): Promise<never> {
  noArguments({ args })
  chooseDrill()
  requireDataFolder(readConfig(environment()))
  await import('./main.ts')
  return new Promise(() => {})
}

async function runCommand(words: string[], host: Host): Promise<number> {
  const { stdout } = host
  const help =
    words[0] === 'help'
      ? words.slice(1)
      : words.includes('--help')
        ? words.filter((word) => word !== '--help')
        : undefined
  if (help) {
    stdout.write(help.length ? helpOf(parseCommand(help.slice(0, 2)).command) : usage)
    return EXIT.done
  }
  const invocation = parseCommand(words)
  if (invocation.command === drillCommand) return startDrill(invocation, host)
  const signal = host.handleStop()
  try {
    const answer = await run(invocation, host, signal)
    const { text, code } = typeof answer === 'string' ? { text: answer, code: EXIT.done } : answer
    stdout.write(`${text}\n`)
    return code
  } catch (error) {
    throw signal.aborted ? new Stopped(signal.reason.message) : error
  }
}

class Stopped extends Error {}

const exitOf = (error: unknown) =>
  error instanceof UsageError ? EXIT.usage : error instanceof Stopped ? EXIT.stopped : EXIT.failed

const ALL_COMMANDS = 'All commands: npm run admin -- help\n'

/** The help of the command that was meant, or else commands that it may have been. */
function usageOf(words: string[]): string {
  const command = findCommand(words)
  if (command) return helpOf(command)
  const [topic] = words
  if (topic === undefined) return usage
  const related = commands.filter(({ name }) => name.split(' ')[0] === topic)
  const lines = related.map(({ name, summary }) => `  ${name}  ${summary}\n`)
  return `${lines.length ? `Commands of "${topic}":\n${lines.join('')}\n` : ''}${ALL_COMMANDS}`
}

/** Runs one command to its exit code. With --json, a failure is an object on standard output, too. */
export async function runAdmin(words: string[], host: Host): Promise<number> {
  const { stdout, stderr } = host
  try {
    return await runCommand(words, host)
  } catch (error) {
    const message = failureText(error)
    const code = exitOf(error)
    if (words.includes('--json')) stdout.write(`${JSON.stringify({ error: message })}\n`)
    stderr.write(`${message}\n${code === EXIT.usage ? `\n${usageOf(words)}` : ''}`)
    return code
  }
}
