import { findUpdate, locked, moveTo } from '../../client/actions.ts'
import { gamesFolder, readInstall, readVersion } from '../../client/record.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { asFailure, errorEvent, type Failure, failureFields, UsageError } from '../../errors.ts'
import { isObject } from '../../http/api.ts'
import { formatSize, later, t } from '../../messages.ts'
import { findGame, type Installed, readCurrent, readInstalls } from './installed.ts'
import { installedArgument, summaryOf, warnOfLeftovers, withStore } from './shared.ts'

export const update: Command = {
  name: 'update',
  summary: later('games-update'),
  details: [later('games-update-details')],
  args: [{ ...installedArgument, optional: true }],
  flags: [{ name: 'all', summary: later('games-all') }],
  examples: ['slipway update saltworks/harbor', 'slipway update --all'],
  has_progress_events: true,
  async run(context) {
    if (Boolean(context.args.length) === context.has('all')) throw new UsageError(t('games-which'))
    if (context.has('all')) return updateAll(context)
    const { games, ...installed } = await findGame(context)
    const { json, line } = await updateGame(context, games, installed)
    return { json: { ok: true, games: [{ ok: true, ...json }] }, lines: [line] }
  },
}

/** One game that cannot be updated does not keep others back. */
async function updateAll(context: Context): Promise<Outcome> {
  const games = gamesFolder(context.env)
  const { installs, unreadable } = await readInstalls(games)
  const results: Record<string, unknown>[] = []
  const lines: string[] = []
  let exit_code = 0
  let updated = 0
  const fail = (place: { folder: string; name?: string }, failure: Failure) => {
    // The higher code is the worse one: what is damaged needs more than another try.
    exit_code = Math.max(exit_code, failure.exit_code)
    results.push({ ok: false, ...place, ...failureFields(failure) })
    if (context.has('json')) context.ui.note(errorEvent(failure, place))
    lines.push(
      t('games-failed', { game: place.name ?? place.folder, message: failure.message }),
      ...(failure.hint ? [`  ${t('hint', { hint: failure.hint })}`] : []),
    )
  }
  for (const { folder, failure } of unreadable) fail({ folder }, failure)
  for (const installed of installs) {
    try {
      const { json, line } = await updateGame(context, games, installed)
      results.push({ ok: true, ...json })
      lines.push(line)
      if (json.updated) updated++
    } catch (error) {
      if (context.signal.aborted) throw error
      // It was removed while other games were updated.
      if (!(await readInstall(installed.folder).catch(() => true))) continue
      fail({ folder: installed.folder, name: installed.install.name }, asFailure(error))
    }
  }
  const failed = results.filter(({ ok }) => !ok).length
  if (!results.length) lines.push(t('games-none'))
  else if (results.length > 1) lines.push(sumUp(updated, results.length - updated - failed, failed))
  return { json: { ok: exit_code === 0, games: results }, lines, exit_code }
}

function sumUp(updated: number, current: number, failed: number): string {
  const counts = { updated: String(updated), current: String(current) }
  return failed
    ? t('games-sum-failed', { ...counts, failed: String(failed) })
    : t('games-sum', counts)
}

async function updateGame(context: Context, games: string, installed: Installed) {
  return withStore(
    context,
    (api) =>
      locked(installed.folder, async () => {
        const { folder, install } = await readCurrent(installed)
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
        const wanted = { ...install, install_id, previous_withdrawn: withdrawn }
        const done = await moveTo({ api, folder, games }, wanted, build_id)
        warnOfLeftovers(context, done)
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
    installed.install.store,
  )
}
