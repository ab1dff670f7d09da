import { join, resolve } from 'node:path'
import { locked, uninstall } from '../../client/actions.ts'
import { changeLibrary, gamesFolder, readInstall } from '../../client/record.ts'
import { removeShortcut } from '../../client/shortcut.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { exits } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { findGame, readInstalls } from './installed.ts'
import { installedArgument } from './shared.ts'

export const uninstallCommand: Command = {
  name: 'uninstall',
  summary: later('games-uninstall'),
  details: [later('games-uninstall-details')],
  args: [installedArgument],
  flags: [{ name: 'everything', summary: later('games-everything') }],
  is_local: true,
  async run(context) {
    const forgotten = await forget(context)
    if (forgotten) return forgotten
    const { games, folder } = await findGame(context)
    return locked(folder, async () => {
      const install = (await readInstall(folder))!
      const { name } = install
      const kept = await uninstall(folder, games, install, context.has('everything'))
      await removeShortcut(context.env, name)
      const kept_in = join(folder, 'kept')
      return {
        json: { ok: true, name, kept: kept.length ? { folder: kept_in, files: kept } : null },
        lines: [
          t('games-removed', { name }),
          ...(kept.length ? [t('games-kept-files', { count: kept.length, folder: kept_in })] : []),
        ],
      }
    })
  },
}

/** Of a folder that is gone, or whose record is damaged, only the entry in the library is removed. */
async function forget(context: Context): Promise<Outcome | undefined> {
  const games = gamesFolder(context.env)
  const folder = resolve(context.cwd, context.args[0]!)
  const { unreadable } = await readInstalls(games)
  const is_lost = unreadable.some(
    (entry) => entry.folder === folder && entry.failure.exit_code === exits.damaged,
  )
  if (!is_lost) return undefined
  await changeLibrary(games, (folders) => folders.filter((name) => name !== folder))
  return {
    json: { ok: true, name: folder, kept: null },
    lines: [t('games-forgotten', { folder })],
  }
}
