import { resolve } from 'node:path'
import { type Change, findUpdate, locked, moveTo } from '../../client/actions.ts'
import { checkFolder } from '../../client/own-folder.ts'
import {
  changeLibrary,
  defaultFolder,
  gamesFolder,
  readInstall,
  readVersion,
} from '../../client/record.ts'
import { checkShortcuts, writeShortcut } from '../../client/shortcut.ts'
import type { StoreApi } from '../../client/store-api.ts'
import type { Command, Flag, Outcome } from '../../command.ts'
import { ApiError, UsageError, withText } from '../../errors.ts'
import { type Data, isObject } from '../../http/api.ts'
import { later, t } from '../../messages.ts'
import { appFlags, normalizePlatform, platformFlags } from '../../publish/registration.ts'
import { readName } from './game-name.ts'
import { gameArgument, summaryOf, treeOf, warnOfLeftovers, withStore } from './shared.ts'

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

/** The game to install; text that cannot be one is refused. */
function readGame(text: string): ReturnType<typeof readName> {
  const game = readName(text)
  if (!/^(?!\.\.?\/)[^/\\\s]+\/(?!\.\.?$)[^/\\\s]+$/.test(game.name))
    throw new UsageError(t('games-bad-name', { name: text }), t('games-bad-name-hint'))
  return game
}

type Wanted = { name: string; channel: string; os: string; arch: string; app: string }

/** A refusal that says which builds there are, if none is for this system, channel or program. */
async function explainMissing(error: unknown, api: StoreApi, page: string, wanted: Wanted) {
  if (!(error instanceof ApiError) || error.status !== 404) return error
  const answer = await api.get(`${page}/files`).catch(() => undefined)
  const files = Array.isArray(answer?.files) ? answer.files.filter(isObject) : []
  const others = new Set(
    files.flatMap((file) => {
      const channels = Array.isArray(file.channels) ? file.channels.map(String) : []
      return channels.map((channel) => `${platformOf(file)} (${channel})`)
    }),
  )
  if (!others.size) return error
  const { name, channel } = wanted
  const platform = platformOf(wanted)
  const list = [...others].sort().join(', ')
  return withText(error, {
    message: t('games-no-build', { name, channel, platform, others: list }),
  })
}

const platformOf = ({ os, arch, app }: Data | Wanted) =>
  [app, os || t('games-any-platform'), arch].filter(Boolean).join(' ')

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
  examples: ['slipway install saltworks/harbor'],
  has_progress_events: true,
  async run(context) {
    const { name, store } = readGame(context.args[0]!)
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
          const installed = await readInstall(folder)
          if (installed) {
            const was_listed = await changeLibrary(games, folder, true)
            const version = await readVersion(folder, installed.current)
            // An install that was interrupted before its last step is finished now.
            if (!was_listed && installed.name === name && version) {
              const done = { install: installed, folder, version: version.manifest.version }
              return outcomeOf({ ...done, downloaded: 0 })
            }
            throw new UsageError(t('games-installed', { folder }), t('games-installed-hint'))
          }
          await checkFolder(folder)
          const [developer, game] = name.split('/').map(encodeURIComponent)
          const page = `/public/user/${developer}/games/${game}`
          const listing = await api.get(page)
          const wanted = {
            store: api.settings.api_url,
            name,
            game_uid: String(listing?.uid),
            channel: context.text('channel') ?? 'stable',
            os: platform.os || machine.os,
            arch: platform.arch || (platform.os ? '' : machine.arch),
            app: context.text('app') ?? '',
          }
          const offer = await findUpdate(api, wanted, undefined).catch(async (error) => {
            throw await explainMissing(error, api, page, wanted)
          })
          const { install_id, build_id } = offer!
          const done = await moveTo({ api, folder, games }, { ...wanted, install_id }, build_id)
          warnOfLeftovers(context, done)
          if (context.has('shortcut'))
            await writeShortcut(context.env, folder, String(listing?.name ?? name))
          return outcomeOf(done)
        }),
      store,
    )
  },
}

type Done = Pick<Change, 'install' | 'folder' | 'version' | 'downloaded'>

const outcomeOf = ({ install, folder, version, downloaded }: Done): Outcome => ({
  json: { ok: true, ...summaryOf(install, folder), version, downloaded },
  lines: [t('games-done', { name: install.name, version, folder: treeOf({ folder, install }) })],
})
