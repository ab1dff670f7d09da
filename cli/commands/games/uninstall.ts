import { resolve } from 'node:path'
import { locked, removeUnfinished, uninstall } from '../../client/actions.ts'
import { defaultFolder, findInstall, gamesFolder, readInstall } from '../../client/record.ts'
import { removeShortcut } from '../../client/shortcut.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../errors.ts'
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
    const wanted = context.args[0]!
    const found = await findInstall(games, wanted).catch((error) => error as Error)
    if (found instanceof Error) {
      const folders = [resolve(wanted), defaultFolder(games, wanted)]
      const is_removed = found instanceof UsageError && (await removeUnfinished(folders, games))
      if (!is_removed) throw found
      return {
        json: { ok: true, name: wanted, kept: null },
        lines: [t('games-removed', { name: wanted })],
      }
    }
    const { folder } = found
    return locked(folder, async () => {
      const install = (await readInstall(folder))!
      const { name } = install
      const kept = await uninstall(folder, games, install, context.has('everything'))
      await removeShortcut(context.env, folder)
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
