import { type Command, EXIT, UsageError } from './admin/command.ts'
import { searchCommands } from './admin/index-commands.ts'
import { keyCommands } from './admin/key-commands.ts'
import { peopleCommands } from './admin/people-commands.ts'
import { queueCommands } from './admin/queue-commands.ts'
import { storageCommands } from './admin/storage-commands.ts'
import { isDataFolderLocked } from './core/database/data-lock.ts'
import { runningEmbeddedUrl } from './core/database/embedded-postgres.ts'
import { migrate } from './core/database/migrate.ts'
import { processEnvironment, readConfig } from './core/runtime/config.ts'
import { createCore } from './core/runtime/core.ts'
import { createLog } from './core/runtime/log.ts'
import { jobs } from './jobs.ts'
import { startDatabase } from './service.ts'

/** Commands for whoever runs the service. They work beside a running one, or bring the database up for themselves. */
const commands = [
  ...peopleCommands,
  ...queueCommands,
  ...keyCommands,
  ...searchCommands,
  ...storageCommands,
]

const calledAs = ({ name, takes, flags = [] }: Command) =>
  [name, takes, ...flags.filter((flag) => !takes?.includes(flag)).map((flag) => `[${flag}]`)]
    .filter(Boolean)
    .join(' ')
const width = Math.max(...commands.map((command) => calledAs(command).length))
const usage = `npm run admin -- <command>

${commands.map((command) => `  ${calledAs(command).padEnd(width)}  ${command.summary}`).join('\n')}
  ${'help <command>'.padEnd(width)}  what it does, and what to do next

Exit codes: 0 done, 1 failed, 2 not understood, 3 a check found something, 130 stopped by Ctrl-C (what was done stands; run it again).
`
const helpOf = (command: Command) =>
  `npm run admin -- ${calledAs(command)}\n\n${command.summary}\n\n${command.help}\n`

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (Date.now() - told > 5_000) process.stderr.write(`${text}\n`)
  else return
  told = Date.now()
}
let told = Date.now()

type Asked = { command: Command; args: string[]; flags: Set<string> }

function understand(words: string[]): Asked {
  const command = commands.find(({ name }) => name === words.slice(0, 2).join(' '))
  if (!command) throw new UsageError()
  const rest = words.slice(2)
  const flags = new Set(rest.filter((word) => word.startsWith('--')))
  if ([...flags].some((flag) => !command.flags?.includes(flag))) throw new UsageError()
  return { command, args: rest.filter((word) => !word.startsWith('--')), flags }
}

async function run({ command, args, flags }: Asked, signal: AbortSignal) {
  const config = readConfig(processEnvironment())
  const up: (() => unknown)[] = []
  const beside =
    config.database_url ??
    (isDataFolderLocked(config.data_dir) ? runningEmbeddedUrl(config.data_dir) : undefined)
  const database_url = beside ?? (await startDatabase(config, up))
  try {
    const log = createLog({ log_level: 'warn' })
    if (!beside) await migrate(database_url, log)
    const core = await createCore(config, database_url, jobs, log)
    up.push(() => core.close())
    return await command.run({ core, args, flags, progress, signal })
  } finally {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    for (const end of up.reverse()) await end()
  }
}

async function main(words: string[]): Promise<number> {
  const help =
    words[0] === 'help'
      ? words.slice(1)
      : words.includes('--help')
        ? words.filter((word) => word !== '--help')
        : undefined
  if (help) {
    process.stdout.write(help.length ? helpOf(understand(help.slice(0, 2)).command) : usage)
    return EXIT.done
  }
  const asked = understand(words)
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'])
    process.once(name, () =>
      stop.abort(new Error('stopped; what was done stands, run it again to go on')),
    )
  try {
    const answer = await run(asked, stop.signal)
    const { text, code } = typeof answer === 'string' ? { text: answer, code: EXIT.done } : answer
    process.stdout.write(`${text}\n`)
    return code
  } catch (error) {
    if (error instanceof UsageError) process.stderr.write(helpOf(asked.command))
    if (!stop.signal.aborted) throw error
    process.stderr.write(`${stop.signal.reason.message}\n`)
    return EXIT.stopped
  }
}

try {
  const code = await main(process.argv.slice(2))
  // All of a long answer, also into a pipe, before the process ends.
  process.stdout.write('', () => process.exit(code))
} catch (error) {
  process.stderr.write(error instanceof UsageError ? usage : `${(error as Error).message}\n`)
  process.exit(error instanceof UsageError ? EXIT.usage : EXIT.failed)
}
