import { locked, moveTo } from '../../client/actions.ts'
import type { Command } from '../../command.ts'
import { later, t } from '../../messages.ts'
import { findDamage } from './damage.ts'
import { gameArgument, withStore } from './shared.ts'

export const repair: Command = {
  name: 'repair',
  summary: later('games-repair'),
  args: [gameArgument],
  async run(context) {
    const { games, folder, install, version, problems } = await findDamage(context)
    const { name } = install
    if (!problems.length)
      return {
        json: { ok: true, name, repaired: [] },
        lines: [t('games-verified', { count: version.entries.length, name })],
      }
    // Files with their old size and time are read again as well.
    return withStore(
      context,
      (api) =>
        locked(folder, async () => {
          const { build_id } = version.manifest
          const done = await moveTo({ api, folder, games }, install, build_id)
          const { downloaded, kept_aside } = done
          for (const path of kept_aside) context.ui.warn(t('games-kept', { path }))
          return {
            json: { ok: true, name, repaired: problems, downloaded, kept_aside },
            lines: [t('games-repaired', { count: problems.length, name })],
          }
        }),
      install.store,
    )
  },
}
