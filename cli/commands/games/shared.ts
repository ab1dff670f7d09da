import type { Change } from '../../client/actions.ts'
import { type Install, treeFolder } from '../../client/record.ts'
import { createStoreApi, type StoreApi } from '../../client/store-api.ts'
import type { Context } from '../../command.ts'
import { later, t } from '../../messages.ts'
import { readStoreSettings } from '../../settings.ts'

const name = '<developer/game>'
/** A game of the store. */
export const gameArgument = { name, summary: later('games-name') }
/** A game that is installed here. */
export const installedArgument = { name, summary: later('games-installed-name') }

export async function withStore<T>(
  context: Context,
  run: (api: StoreApi) => Promise<T>,
  store?: string,
): Promise<T> {
  const settings = readStoreSettings(context, context.env, context.ui, store)
  const api = createStoreApi(settings, context)
  try {
    return await run(api)
  } finally {
    api.close()
  }
}

/** Says what a change of versions left beside the files of the game. */
export function warnOfLeftovers({ ui }: Context, { kept_aside, unremoved }: Change): void {
  for (const path of kept_aside) ui.warn(t('games-kept', { path }))
  if (unremoved) ui.warn(t('games-unremoved', { reason: unremoved }))
}

export const treeOf = ({ folder, install }: { folder: string; install: Install }) =>
  treeFolder(folder, install.current)

export const summaryOf = (install: Install, folder: string) => ({
  name: install.name,
  game_uid: install.game_uid,
  store: install.store,
  channel: install.channel,
  folder,
  path: treeFolder(folder, install.current),
})
