import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { findUpdate, locked, moveTo, rollBack, uninstall } from '../client/actions.ts'
import {
  findInstall,
  gamesFolder,
  type Install,
  readInstall,
  readLibrary,
  readVersion,
  treeFolder,
} from '../client/record.ts'
import { checkShortcuts, removeShortcut, writeShortcut } from '../client/shortcut.ts'
import { createStoreApi, type StoreApi } from '../client/store-api.ts'
import { findProblems } from '../client/verify.ts'
import type { Command, Context, Flag, Outcome } from '../command.ts'
import { table } from '../documents/text.ts'
import { exits, Failure, UsageError } from '../errors.ts'
import { isObject } from '../http/api.ts'
import { formatSize, later, t } from '../messages.ts'
import { appFlags, normalizePlatform, platformFlags } from '../publish/registration.ts'
import { readStoreSettings } from '../settings.ts'

const gameArgument = { name: '<developer/game>', summary: later('games-name') }
const channelFlag: Flag = {
  name: 'channel',
  value: '<channel>',
  summary: later('games-channel'),
  default: 'stable',
}

async function withStore<T>(
  context: Context,
  run: (api: StoreApi) => Promise<T>,
  store?: string,
): Promise<T> {
  const settings = readStoreSettings(context, context.env, context.ui, store)
  const api = createStoreApi(settings, context.ui, context.signal)
  try {
    return await run(api)
  } finally {
    api.close()
  }
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
  if (!/^[^/\s]+\/[^/\s]+$/.test(name))
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
    const folder = dir ? resolve(context.cwd, dir) : join(games, ...name.toLowerCase().split('/'))
    if (context.has('shortcut')) checkShortcuts()
    const platform = normalizePlatform({ os: context.text('os'), arch: context.text('arch') })
    const machine = thisMachine()
    return withStore(
      context,
      (api) =>
        locked(folder, async () => {
          if (await readInstall(folder))
            throw new UsageError(t('games-installed', { folder }), t('games-installed-hint'))
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
          const done = await moveTo({ api, folder, games }, wanted, String(offer?.build_id))
          if (context.has('shortcut'))
            await writeShortcut(context.env, name, String(listing?.name ?? name))
          return {
            json: { ok: true, ...summaryOf(done.install, folder), version: done.version },
            lines: [t('games-done', { name, version: done.version, folder: treeOf(done) })],
          }
        }),
      store,
    )
  },
}

const treeOf = ({ folder, install }: { folder: string; install: Install }) =>
  treeFolder(folder, install.current)

const summaryOf = (install: Install, folder: string) => ({
  name: install.name,
  game_uid: install.game_uid,
  store: install.store,
  channel: install.channel,
  folder,
  path: treeFolder(folder, install.current),
})

export const update: Command = {
  name: 'update',
  summary: later('games-update'),
  details: [later('games-update-details')],
  args: [{ ...gameArgument, optional: true }],
  flags: [{ name: 'all', summary: later('games-all') }],
  examples: ['slipway update saltworks/harbor', 'slipway update --all'],
  async run(context) {
    const games = gamesFolder(context.env)
    const [name] = context.args
    if (Boolean(name) === context.has('all')) throw new UsageError(t('games-which'))
    const folders = name ? [(await findInstall(games, name)).folder] : await readLibrary(games)
    const results: Record<string, unknown>[] = []
    const lines: string[] = []
    let exit_code = 0
    for (const folder of folders) {
      try {
        const { json, line } = await updateFolder(context, games, folder)
        results.push({ ok: true, ...json })
        lines.push(line)
      } catch (error) {
        if (name || !(error instanceof Failure) || context.signal.aborted) throw error
        // One game that cannot be updated does not keep others back.
        exit_code = error.exit_code
        results.push({ ok: false, folder, error: error.message })
        lines.push(t('games-failed', { folder, message: error.message }))
      }
    }
    if (!folders.length) lines.push(t('games-none'))
    return { json: { ok: exit_code === 0, games: results }, lines, exit_code }
  },
}

async function updateFolder(context: Context, games: string, folder: string) {
  const install = await readInstall(folder)
  if (!install) throw new UsageError(t('client-not-installed', { name: folder }))
  return withStore(
    context,
    (api) =>
      locked(folder, async () => {
        const version = await readVersion(folder, install.current)
        const offer = await findUpdate(api, install, version?.manifest.build_id)
        const { name } = install
        if (!offer) {
          const current = version?.manifest.version ?? ''
          return {
            json: { ...summaryOf(install, folder), version: current, updated: false },
            line: t('games-current', { name, version: current }),
          }
        }
        const withdrawn = isObject(offer.withdrawn) ? String(offer.withdrawn.reason) : undefined
        if (withdrawn) context.ui.warn(t('games-withdrawn', { name, reason: withdrawn }))
        const done = await moveTo({ api, folder, games }, install, String(offer.build_id))
        for (const path of done.kept_aside) context.ui.warn(t('games-kept', { path }))
        const size = formatSize(done.downloaded)
        const saved = formatSize(done.saved)
        const from = done.from ?? ''
        return {
          json: {
            ...summaryOf(done.install, folder),
            version: done.version,
            from: done.from,
            downloaded: done.downloaded,
            saved: done.saved,
            updated: true,
            kept_aside: done.kept_aside,
          },
          line: done.saved
            ? t('games-patched', { name, version: done.version, from, size, saved })
            : t('games-updated', { name, version: done.version, from, size }),
        }
      }),
    install.store,
  )
}

const verifyFlags: Pick<Command, 'args'> = { args: [gameArgument] }

async function findDamage(context: Context) {
  const games = gamesFolder(context.env)
  const target = await findInstall(games, context.args[0]!)
  const version = await readVersion(target.folder, target.install.current)
  if (!version) throw new Failure(exits.damaged, t('games-no-record'), t('games-no-record-hint'))
  const { name } = target.install
  const total = version.manifest.unpacked_size
  const progress = context.ui.progress(t('games-verifying', { name }), total)
  let done = 0
  const problems = await findProblems(treeOf(target), version, (bytes) => {
    done += bytes
    progress.at(done)
  }).finally(() => progress.end())
  return { games, ...target, version, problems }
}

export const verify: Command = {
  name: 'verify',
  summary: later('games-verify'),
  ...verifyFlags,
  is_local: true,
  async run(context) {
    const { install, problems, version } = await findDamage(context)
    const { name } = install
    const files = version.entries.length
    const lines = problems.map(({ path, problem }) =>
      problem === 'missing' ? t('games-missing', { path }) : t('games-changed', { path }),
    )
    return {
      json: { ok: problems.length === 0, name, files, problems },
      lines: problems.length
        ? [...lines, t('games-repair-it', { name })]
        : [t('games-verified', { count: files, name })],
      exit_code: problems.length ? exits.damaged : 0,
    }
  },
}

export const repair: Command = {
  name: 'repair',
  summary: later('games-repair'),
  ...verifyFlags,
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
          return {
            json: { ok: true, name, repaired: problems, downloaded: done.downloaded },
            lines: [t('games-repaired', { count: problems.length, name })],
          }
        }),
      install.store,
    )
  },
}

export const list: Command = {
  name: 'list',
  summary: later('games-list'),
  is_local: true,
  async run(context) {
    const rows: { install: Install; folder: string; version: string }[] = []
    for (const folder of await readLibrary(gamesFolder(context.env))) {
      const install = await readInstall(folder)
      const version = install && (await readVersion(folder, install.current))
      if (install) rows.push({ install, folder, version: version?.manifest.version ?? '' })
    }
    return {
      json: {
        ok: true,
        games: rows.map(({ install, folder, version }) => ({
          ...summaryOf(install, folder),
          version,
        })),
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

export const launch: Command = {
  name: 'launch',
  summary: later('games-launch'),
  details: [later('games-launch-details')],
  args: [
    gameArgument,
    { name: 'argument', summary: later('games-args'), optional: true, many: true },
  ],
  examples: ['slipway launch saltworks/harbor', 'slipway launch saltworks/harbor -- --windowed'],
  is_local: true,
  async run(context) {
    const [name, ...words] = context.args
    const { folder } = await findInstall(gamesFolder(context.env), name!)
    return locked(folder, () => runGame(context, folder, words))
  },
}

async function runGame(context: Context, folder: string, words: string[]): Promise<Outcome> {
  const install = (await readInstall(folder))!
  const version = await readVersion(folder, install.current)
  const how = version?.manifest.launch
  if (!how) throw new UsageError(t('games-no-program', { name: install.name }))
  const tree = treeFolder(folder, install.current)
  const program = join(tree, how.executable)
  const child = spawn(program, [...how.args, ...words], {
    cwd: join(tree, how.working_dir),
    // A daemon speaks with its launcher on these.
    stdio: context.is_daemon ? 'ignore' : 'inherit',
  })
  context.signal.addEventListener('abort', () => child.kill('SIGTERM'))
  const [code, signal] = await once(child, 'exit').catch((error: Error) => {
    throw new UsageError(t('games-cannot-start', { program, reason: error.message }))
  })
  return { json: { ok: code === 0, code, signal }, lines: [], exit_code: code ?? 1 }
}

export const rollback: Command = {
  name: 'rollback',
  summary: later('games-rollback'),
  details: [later('games-rollback-details')],
  args: [gameArgument],
  is_local: true,
  async run(context) {
    const { folder } = await findInstall(gamesFolder(context.env), context.args[0]!)
    return locked(folder, async () => {
      const install = (await readInstall(folder))!
      const { name } = install
      const version = await rollBack(folder, install)
      if (version === undefined) throw new UsageError(t('games-no-previous', { name }))
      return { json: { ok: true, name, version }, lines: [t('games-back', { name, version })] }
    })
  },
}

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

export const gameCommands: Command[] = [
  install,
  update,
  verify,
  repair,
  list,
  launch,
  rollback,
  uninstallCommand,
]
