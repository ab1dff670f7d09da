import type { Command } from '../../command.ts'
import { exits } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { findDamage } from './damage.ts'
import { findGame } from './installed.ts'
import { installedArgument } from './shared.ts'

export const verify: Command = {
  name: 'verify',
  summary: later('games-verify'),
  args: [installedArgument],
  is_local: true,
  has_progress_events: true,
  async run(context) {
    const { install, problems, version } = await findDamage(context, await findGame(context))
    const { name } = install
    const files = version.entries.length
    const lines = problems.map(({ path, problem }) =>
      problem === 'missing' ? t('games-missing', { path }) : t('games-changed', { path }),
    )
    return {
      json: { ok: problems.length === 0, name, files, problems },
      lines: problems.length
        ? [...lines, t('games-repair-it', { name })]
        : [t('games-verified', { count: files, name })],
      exit_code: problems.length ? exits.damaged : 0,
    }
  },
}
