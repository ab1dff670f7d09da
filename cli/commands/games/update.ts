import { findUpdate, locked, moveTo } from '../../client/actions.ts'
import {
  findInstall,
  gamesFolder,
  readInstall,
  readLibrary,
  readVersion,
} from '../../client/record.ts'
import type { Command, Context } from '../../command.ts'
import { Failure, UsageError } from '../../errors.ts'
import { isObject } from '../../http/api.ts'
import { formatSize, later, t } from '../../messages.ts'
import { gameArgument, summaryOf, withStore } from './shared.ts'

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
        const { answer, build_id, install_id } = offer
        const withdrawn = isObject(answer.withdrawn) ? String(answer.withdrawn.reason) : undefined
        if (withdrawn) context.ui.warn(t('games-withdrawn', { name, reason: withdrawn }))
        const done = await moveTo({ api, folder, games }, { ...install, install_id }, build_id)
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
