import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { join } from 'node:path'
import { locked } from '../../client/actions.ts'
import { readVersion, treeFolder } from '../../client/record.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { exits, UsageError } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { findGame, type Installed, readCurrent } from './installed.ts'
import { installedArgument } from './shared.ts'

export const launch: Command = {
  name: 'launch',
  summary: later('games-launch'),
  details: [later('games-launch-details')],
  args: [
    installedArgument,
    { name: 'argument', summary: later('games-args'), optional: true, many: true },
  ],
  examples: ['slipway launch saltworks/harbor', 'slipway launch saltworks/harbor -- --windowed'],
  is_local: true,
  async run(context) {
    const [, ...words] = context.args
    const game = await findGame(context)
    return locked(game.folder, () => runGame(context, game, words))
  },
}

async function runGame(context: Context, game: Installed, words: string[]): Promise<Outcome> {
  const { folder, install } = await readCurrent(game)
  const version = await readVersion(folder, install.current)
  const how = version?.manifest.launch
  if (!how) throw new UsageError(t('games-no-program', { name: install.name }))
  const tree = treeFolder(folder, install.current)
  const program = join(tree, how.executable)
  const child = spawn(program, [...how.args, ...words], {
    cwd: join(tree, how.working_dir),
    // A daemon speaks with its launcher on these, and with --json one object is on standard output.
    stdio: context.is_daemon
      ? 'ignore'
      : ['inherit', context.has('json') ? 2 : 'inherit', 'inherit'],
  })
  context.signal.addEventListener('abort', () => child.kill('SIGTERM'))
  const [code, signal] = await once(child, 'exit').catch((error: Error) => {
    throw new UsageError(t('games-cannot-start', { program, reason: error.message }))
  })
  const exit_code = code ?? endedBy(context, install.name, signal)
  return { json: { ok: code === 0, code, signal }, lines: [], exit_code }
}

/** The exit code for a game that a signal ended, as shells have it. */
function endedBy({ ui, signal: stop }: Context, name: string, signal: NodeJS.Signals): number {
  if (stop.aborted) return exits.interrupted
  ui.warn(t('games-ended-by', { name, signal }))
  return 128 + constants.signals[signal]
}
