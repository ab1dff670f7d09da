import { locked, moveTo } from '../../client/actions.ts'
import type { Command } from '../../command.ts'
import { ApiError, withText } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { findDamage } from './damage.ts'
import { findGame, readCurrent } from './installed.ts'
import { installedArgument, warnOfLeftovers, withStore } from './shared.ts'

export const repair: Command = {
  name: 'repair',
  summary: later('games-repair'),
  args: [installedArgument],
  has_progress_events: true,
  async run(context) {
    const { games, ...game } = await findGame(context)
    return withStore(
      context,
      (api) =>
        locked(game.folder, async () => {
          const current = await readCurrent(game)
          // Files with their old size and time are read again as well.
          const { folder, install, version, problems } = await findDamage(context, current)
          const { name } = install
          if (!problems.length)
            return {
              json: { ok: true, name, repaired: [] },
              lines: [t('games-verified', { count: version.entries.length, name })],
            }
          const { build_id } = version.manifest
          const moved = moveTo({ api, folder, games }, install, build_id)
          const done = await moved.catch((error) => {
            throw isNotDelivered(error)
              ? withText(error, { hint: t('games-update-it', { name }) })
              : error
          })
          const { downloaded, kept_aside } = done
          warnOfLeftovers(context, done)
          return {
            json: { ok: true, name, repaired: problems, downloaded, kept_aside },
            lines: [t('games-repaired', { count: problems.length, name })],
          }
        }),
      game.install.store,
    )
  },
}

/** Builds that were rolled back, withdrawn or deleted are delivered to nobody any more. */
const isNotDelivered = (error: unknown): error is ApiError =>
  error instanceof ApiError && [404, 410].includes(error.status)
