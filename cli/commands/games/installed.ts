import { resolve } from 'node:path'
import { gamesFolder, type Install, readInstall, readLibrary } from '../../client/record.ts'
import type { Context } from '../../command.ts'
import { asFailure, exits, Failure, UsageError } from '../../errors.ts'
import { t } from '../../messages.ts'
import { readName } from './game-name.ts'

export type Installed = { folder: string; install: Install }
/** An entry of the library without a record that can be read. */
export type Unreadable = { folder: string; failure: Failure }

/** The games of the library. An entry that cannot be read does not keep the others back. */
export async function readInstalls(
  games: string,
): Promise<{ installs: Installed[]; unreadable: Unreadable[] }> {
  const installs: Installed[] = []
  const unreadable: Unreadable[] = []
  for (const folder of await readLibrary(games)) {
    try {
      const install = await readInstall(folder)
      if (!install) throw new Failure(exits.damaged, t('games-gone'), t('games-gone-hint'))
      installs.push({ folder, install })
    } catch (error) {
      unreadable.push({ folder, failure: asFailure(error) })
    }
  }
  return { installs, unreadable }
}

export function warnAbout(unreadable: readonly Unreadable[], { ui }: Pick<Context, 'ui'>): void {
  for (const { folder, failure } of unreadable)
    ui.warn(t('games-failed', { game: folder, message: failure.message }))
}

/** The install that the first argument means: a folder, developer/game or the address of a page. */
export async function findGame(context: Context): Promise<Installed & { games: string }> {
  const games = gamesFolder(context.env)
  const word = context.args[0]!
  const as_folder = resolve(context.cwd, word)
  const in_folder = await readInstall(as_folder)
  if (in_folder) return { games, folder: as_folder, install: in_folder }
  const { installs, unreadable } = await readInstalls(games)
  const matches = matchesOf(word, installs)
  const [first, second] = matches
  if (first && !second) return { games, ...first }
  if (first) {
    const folders = matches.map(({ folder }) => folder).join(', ')
    throw new UsageError(
      t('games-ambiguous', { name: word, folders }),
      t('games-ambiguous-hint', { folder: first.folder }),
    )
  }
  warnAbout(unreadable, context)
  throw new UsageError(t('client-not-installed', { name: word }), t('client-not-installed-hint'))
}

/** The record as it is now: another program may have removed the game since it was found. */
export async function readCurrent({ folder, install }: Installed): Promise<Installed> {
  const current = await readInstall(folder)
  if (current) return { folder, install: current }
  const { name } = install
  throw new UsageError(t('client-not-installed', { name }), t('client-not-installed-hint'))
}

/** An address means the game of its store, if there are games of this name of several stores. */
function matchesOf(word: string, installs: readonly Installed[]): Installed[] {
  const { name, store } = readName(word)
  const named = installs.filter(({ install }) => install.name.toLowerCase() === name.toLowerCase())
  const of_store = named.filter(({ install }) => new URL(install.store).origin === store)
  return of_store.length ? of_store : named
}
