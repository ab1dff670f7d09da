import { resolve } from 'node:path'
import { locked, removeUnfinished, uninstall } from '../../client/actions.ts'
import { isUnfinished } from '../../client/own-folder.ts'
import type { KeptFiles } from '../../client/player-files.ts'
import { changeLibrary, defaultFolder, gamesFolder } from '../../client/record.ts'
import { removeShortcut } from '../../client/shortcut.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { exits, UsageError } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { findGame, readCurrent, readInstalls } from './installed.ts'
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
    const games = gamesFolder(context.env)
    const wanted = context.args[0]!
    const game = await findGame(context).catch((error) => error as Error)
    if (game instanceof Error) {
      const folders = [resolve(context.cwd, wanted), defaultFolder(games, wanted)]
      const everything = context.has('everything')
      const removed =
        game instanceof UsageError ? await removeUnfinished(folders, games, everything) : undefined
      if (!removed) throw game
      return removedGame(wanted, removed.kept)
    }
    const { folder } = game
    return locked(folder, async () => {
      const { install } = await readCurrent(game)
      const { name } = install
      const kept = await uninstall(folder, games, install, context.has('everything'))
      await removeShortcut(context.env, folder)
      return removedGame(name, kept ? [kept] : [])
    })
  },
}

const removedGame = (name: string, kept: readonly KeptFiles[]): Outcome => ({
  json: { ok: true, name, kept: kept[0] ?? null },
  lines: [
    t('games-removed', { name }),
    ...kept.map(({ files, folder }) => t('games-kept-files', { count: files.length, folder })),
  ],
})

/** Of a folder that is gone, or whose record is damaged, only the entry in the library is removed. */
async function forget(context: Context): Promise<Outcome | undefined> {
  const games = gamesFolder(context.env)
  const folder = resolve(context.cwd, context.args[0]!)
  const { unreadable } = await readInstalls(games)
  const is_lost = unreadable.some(
    (entry) => entry.folder === folder && entry.failure.exit_code === exits.damaged,
  )
  // What an uninstall that was interrupted left is removed by the next one.
  if (!is_lost || (await isUnfinished(folder))) return undefined
  await changeLibrary(games, folder, false)
  return {
    json: { ok: true, name: folder, kept: null },
    lines: [t('games-forgotten', { folder })],
  }
}
