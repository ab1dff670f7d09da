import { gamesFolder, type Install, readVersion } from '../../client/record.ts'
import type { StoreApi } from '../../client/store-api.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { table } from '../../documents/text.ts'
import { asFailure } from '../../errors.ts'
import { type Data, isObject } from '../../http/api.ts'
import { later, t } from '../../messages.ts'
import { readInstalls, warnAbout } from './installed.ts'
import { summaryOf, withStore } from './shared.ts'

export const list: Command = {
  name: 'list',
  summary: later('games-list'),
  flags: [{ name: 'owned', summary: later('games-owned') }],
  async run(context) {
    if (context.has('owned')) return listOwned(context)
    const rows: { install: Install; folder: string; version: string }[] = []
    const { installs, unreadable } = await readInstalls(gamesFolder(context.env))
    for (const { folder, install } of installs)
      try {
        const version = await readVersion(folder, install.current)
        rows.push({ install, folder, version: version?.manifest.version ?? '' })
      } catch (error) {
        unreadable.push({ folder, failure: asFailure(error) })
      }
    warnAbout(unreadable, context)
    return {
      json: {
        ok: true,
        games: rows.map(({ install, folder, version }) => ({
          ...summaryOf(install, folder),
          version,
        })),
        unreadable: unreadable.map(({ folder, failure }) => ({ folder, error: failure.message })),
      },
      lines: rows.length
        ? table(
            rows.map(({ install, folder, version }) => [
              install.name,
              version,
              install.channel,
              folder,
            ]),
          )
        : [t('games-none')],
    }
  },
}

const PAGE_SIZE = 100

/** The library of the account that is signed in, and which of its games are installed. */
async function listOwned(context: Context): Promise<Outcome> {
  const installed = new Set<string>()
  const { installs } = await readInstalls(gamesFolder(context.env))
  for (const { install } of installs) installed.add(install.game_uid)
  const copies = await withStore(context, readCopies)
  const games = copies.map(({ game_uid, vanity_name, name: title, developer }) => ({
    name: `${isObject(developer) ? developer.username : ''}/${vanity_name}`,
    title: String(title),
    game_uid: String(game_uid),
    installed: installed.has(String(game_uid)),
  }))
  return {
    json: { ok: true, games },
    lines: games.length
      ? table(
          games.map(({ name, title, installed: is_here }) => [
            name,
            title,
            is_here ? t('games-is-installed') : '',
          ]),
        )
      : [t('games-none-owned')],
  }
}

async function readCopies(api: StoreApi): Promise<Data[]> {
  const copies: Data[] = []
  for (let page = 1; ; page++) {
    const query = new URLSearchParams({ page: String(page), page_size: String(PAGE_SIZE) })
    const data = await api.get(`/private/library?${query}`)
    const items = Array.isArray(data?.items) ? data.items.filter(isObject) : []
    copies.push(...items)
    if (!items.length || copies.length >= Number(data?.total)) return copies
  }
}
