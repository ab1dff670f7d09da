import { locked, rollBack } from '../../client/actions.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { findGame, readCurrent } from './installed.ts'
import { installedArgument, warnOfLeftovers, withStore } from './shared.ts'

export const rollback: Command = {
  name: 'rollback',
  summary: later('games-rollback'),
  details: [later('games-rollback-details')],
  args: [installedArgument],
  has_progress_events: true,
  async run(context) {
    const game = await findGame(context)
    const { folder } = game
    return withStore(
      context,
      (api) =>
        locked(folder, async () => {
          const { install } = await readCurrent(game)
          const { name } = install
          const done = await rollBack({ api, folder }, install)
          if (!done) throw new UsageError(t('games-no-previous', { name }))
          const { version, kept_aside, unrestored } = done
          const reason = install.previous_withdrawn
          if (reason !== undefined) context.ui.warn(t('games-back-withdrawn', { name, reason }))
          warnOfLeftovers(context, done)
          for (const path of unrestored) context.ui.warn(t('games-unrestored', { path }))
          return {
            json: { ok: true, name, version, kept_aside, unrestored },
            lines: [t('games-back', { name, version })],
          }
        }),
      game.install.store,
    )
  },
}
