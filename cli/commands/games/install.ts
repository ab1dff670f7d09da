import { resolve } from 'node:path'
import { findUpdate, locked, moveTo } from '../../client/actions.ts'
import { checkFolder } from '../../client/own-folder.ts'
import { changeLibrary, defaultFolder, gamesFolder, readInstall } from '../../client/record.ts'
import { checkShortcuts, writeShortcut } from '../../client/shortcut.ts'
import type { Command, Flag } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { appFlags, normalizePlatform, platformFlags } from '../../publish/registration.ts'
import { gameArgument, summaryOf, treeOf, withStore } from './shared.ts'

const channelFlag: Flag = {
  name: 'channel',
  value: '<channel>',
  summary: later('games-channel'),
  default: 'stable',
}

/** The system and processor of this machine, as builds name them. */
const thisMachine = () => ({
  os: { win32: 'windows', darwin: 'macos' }[process.platform as string] ?? 'linux',
  arch: { x64: 'x86_64', arm64: 'arm64', ia32: 'x86', arm: 'arm32' }[process.arch as string] ?? '',
})

/** developer/game, or the address of its page, which also names the store. */
function readName(text: string): { name: string; store: string | undefined } {
  const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined
  const name = (url?.pathname ?? text).replace(/^\/+|\/+$/g, '')
  if (!/^(?!\.\.?\/)[^/\\\s]+\/(?!\.\.?$)[^/\\\s]+$/.test(name))
    throw new UsageError(t('games-bad-name', { name: text }), t('games-bad-name-hint'))
  return { name, store: url?.origin }
}

export const install: Command = {
  name: 'install',
  summary: later('games-install'),
  details: [later('games-install-details')],
  args: [gameArgument],
  flags: [
    channelFlag,
    ...platformFlags.filter(({ name }) => name !== 'channel'),
    ...appFlags.filter(({ name }) => name === 'app'),
    { name: 'dir', value: '<folder>', summary: later('games-dir') },
    { name: 'shortcut', summary: later('games-shortcut') },
  ],
  examples: ['slipway install saltworks/harbor', 'slipway install saltworks/harbor --dir harbor'],
  async run(context) {
    const { name, store } = readName(context.args[0]!)
    const games = gamesFolder(context.env)
    const dir = context.text('dir')
    const folder = dir ? resolve(context.cwd, dir) : defaultFolder(games, name)
    if (context.has('shortcut')) checkShortcuts()
    const platform = normalizePlatform({ os: context.text('os'), arch: context.text('arch') })
    const machine = thisMachine()
    return withStore(
      context,
      (api) =>
        locked(folder, async () => {
          if (await readInstall(folder)) {
            // An install that was interrupted at its end may not be in it.
            await changeLibrary(games, folder, true)
            throw new UsageError(t('games-installed', { folder }), t('games-installed-hint'))
          }
          await checkFolder(folder)
          const [developer, game] = name.split('/').map(encodeURIComponent)
          const listing = await api.get(`/public/user/${developer}/games/${game}`)
          const wanted = {
            store: api.settings.api_url,
            name,
            game_uid: String(listing?.uid),
            channel: context.text('channel') ?? 'stable',
            os: platform.os || machine.os,
            arch: platform.arch || (platform.os ? '' : machine.arch),
            app: context.text('app') ?? '',
          }
          const offer = await findUpdate(api, wanted, undefined)
          const { install_id, build_id } = offer!
          const done = await moveTo({ api, folder, games }, { ...wanted, install_id }, build_id)
          if (context.has('shortcut'))
            await writeShortcut(context.env, folder, String(listing?.name ?? name))
          return {
            json: { ok: true, ...summaryOf(done.install, folder), version: done.version },
            lines: [t('games-done', { name, version: done.version, folder: treeOf(done) })],
          }
        }),
      store,
    )
  },
}
