import { processEnvironment, readConfig } from './core/config.ts'
import { type Core, createCore } from './core/core.ts'
import { isUuid } from './core/crypto.ts'
import { heldByAnother } from './core/data-lock.ts'
import { runningEmbeddedUrl } from './core/embedded-postgres.ts'
import { createLog } from './core/log.ts'
import { migrate } from './core/migrate.ts'
import { addKey, createSecrets, loadKeyring, rotateSecrets } from './core/secrets.ts'
import { jobs } from './jobs.ts'
import { startDatabase } from './service.ts'

/** Commands for whoever runs the service. They work beside a running one, or bring the database up for themselves. */
const usage = `npm run admin -- <command>

  jobs dead              jobs that used up their attempts, newest first
  jobs replay <id|all>   give them all their attempts again
  secrets rotate         make a new key (unless SECRETS_KEY holds them) and seal every secret with it
`

type Command = (core: Core, args: string[]) => Promise<string>

const commands: Record<string, Command> = {
  'jobs dead': async (core) => {
    const dead = await core.jobs.dead()
    if (!dead.length) return 'no dead jobs'
    return dead
      .map(({ id, name, error, failed_at, attempts }) => `${id}  ${failed_at.toISOString()}  ${name}  ${attempts} attempts  ${error}`)
      .join('\n')
  },
  'jobs replay': async (core, ids) => {
    if (!ids.length || !ids.every((id) => id === 'all' || isUuid(id))) throw new UsageError()
    return `replayed ${await core.jobs.replay(ids[0] === 'all' ? 'all' : ids)}`
  },
  'secrets rotate': async (core) => {
    if (!core.config.secrets_key) await addKey(core.config.data_dir)
    const secrets = createSecrets(await loadKeyring(core.config))
    const count = await rotateSecrets(core.sql, secrets, { on_progress: (done) => process.stderr.write(`\r${done} sealed anew`) })
    return `every secret is sealed with key ${secrets.current_version()}; ${count} changed`
  },
}

class UsageError extends Error {}

async function run(args: string[]): Promise<string> {
  const command = commands[args.slice(0, 2).join(' ')]
  if (!command) throw new UsageError()
  const config = readConfig(processEnvironment())
  const up: (() => unknown)[] = []
  const beside = config.database_url ?? (heldByAnother(config.data_dir) ? runningEmbeddedUrl(config.data_dir) : undefined)
  const database_url = beside ?? (await startDatabase(config, up))
  try {
    const log = createLog({ log_level: 'warn' })
    if (!beside) await migrate(database_url, log)
    const core = await createCore(config, database_url, jobs, log)
    up.push(() => core.close())
    return await command(core, args.slice(2))
  } finally {
    for (const end of up.reverse()) await end()
  }
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`)
  process.exit(0)
} catch (error) {
  process.stderr.write(error instanceof UsageError ? usage : `${(error as Error).message}\n`)
  process.exit(error instanceof UsageError ? 2 : 1)
}
