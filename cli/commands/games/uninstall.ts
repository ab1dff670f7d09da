import { locked, uninstall } from '../../client/actions.ts'
import { findInstall, gamesFolder, readInstall } from '../../client/record.ts'
import { removeShortcut } from '../../client/shortcut.ts'
import type { Command } from '../../command.ts'
import { later, t } from '../../messages.ts'
import { gameArgument } from './shared.ts'

export const uninstallCommand: Command = {
  name: 'uninstall',
  summary: later('games-uninstall'),
  details: [later('games-uninstall-details')],
  args: [gameArgument],
  flags: [{ name: 'everything', summary: later('games-everything') }],
  is_local: true,
  async run(context) {
    const games = gamesFolder(context.env)
    const { folder } = await findInstall(games, context.args[0]!)
    return locked(folder, async () => {
      const install = (await readInstall(folder))!
      const { name } = install
      const kept = await uninstall(folder, games, install, context.has('everything'))
      await removeShortcut(context.env, name)
      return {
        json: { ok: true, name, kept: kept ?? null },
        lines: [
          t('games-removed', { name }),
          ...(kept
            ? [t('games-kept-files', { count: kept.files.length, folder: kept.folder })]
            : []),
        ],
      }
    })
  },
}
