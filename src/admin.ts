import { parseArgs } from 'node:util'
import { approvalCommands } from './admin/approval-commands.ts'
import { backupCommands } from './admin/backup/commands.ts'
import {
  type Command,
  EXIT,
  exitMeanings,
  type Output,
  type Run,
  type StandaloneCommand,
  UsageError,
} from './admin/command.ts'
import { consoleCommands } from './admin/console-commands.ts'
import { databaseCommands } from './admin/database-commands.ts'
import { drillCommand } from './admin/drill-command.ts'
import { searchCommands } from './admin/index-commands.ts'
import { keyCommands } from './admin/key-commands.ts'
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
import { chooseDrill, processEnvironment, readConfig } from './core/runtime/config.ts'
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

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (Date.now() - last_progress > PROGRESS_MS) process.stderr.write(`${text}\n`)
  else return
  last_progress = Date.now()
}
let last_progress = Date.now()
const PROGRESS_MS = 5_000

type Invocation = Pick<Run, 'args' | 'flags' | 'options'> & { command: AnyCommand }

const isPrefix = (start: string[], words: string[]) => start.every((word, i) => words[i] === word)

function parseCommand(words: string[]): Invocation {
  const command = commands.find(({ name }) => isPrefix(name.split(' '), words))
  if (!command) throw new UsageError()
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
  } catch {
    throw new UsageError()
  }
}

async function run({ command, ...input }: Invocation, signal: AbortSignal): Promise<Output> {
  const config = readConfig(processEnvironment())
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
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    for (const stop of stops.reverse()) await stop()
  }
}

/** Until it is stopped; main.ts handles signals and sets the exit code. */
async function startDrill({ args }: Invocation): Promise<never> {
  if (args.length) throw new UsageError()
  chooseDrill()
  requireDataFolder(readConfig(processEnvironment()))
  await import('./main.ts')
  return new Promise(() => {})
}

async function main(words: string[]): Promise<number> {
  const help =
    words[0] === 'help'
      ? words.slice(1)
      : words.includes('--help')
        ? words.filter((word) => word !== '--help')
        : undefined
  if (help) {
    process.stdout.write(help.length ? helpOf(parseCommand(help.slice(0, 2)).command) : usage)
    return EXIT.done
  }
  const invocation = parseCommand(words)
  if (invocation.command === drillCommand) return startDrill(invocation)
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'])
    process.once(name, () =>
      stop.abort(new Error('stopped; finished steps are kept, run it again to continue')),
    )
  try {
    const answer = await run(invocation, stop.signal)
    const { text, code } = typeof answer === 'string' ? { text: answer, code: EXIT.done } : answer
    process.stdout.write(`${text}\n`)
    return code
  } catch (error) {
    if (error instanceof UsageError) process.stderr.write(helpOf(invocation.command))
    if (!stop.signal.aborted) throw error
    process.stderr.write(`${stop.signal.reason.message}\n`)
    return EXIT.stopped
  }
}

try {
  const code = await main(process.argv.slice(2))
  // Writes to a pipe are asynchronous, so exit only after the whole output has been written.
  process.stdout.write('', () => process.exit(code))
} catch (error) {
  process.stderr.write(error instanceof UsageError ? usage : `${(error as Error).message}\n`)
  process.exit(error instanceof UsageError ? EXIT.usage : EXIT.failed)
}
