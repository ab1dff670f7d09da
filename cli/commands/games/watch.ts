import { setTimeout as pause } from 'node:timers/promises'
import type { Command, Context } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { jsonLine } from '../../lines.ts'
import { later, t } from '../../messages.ts'
import { update } from './update.ts'

const MAX_MINUTES = 7 * 24 * 60

export const watch: Command = {
  name: 'watch',
  summary: later('watch'),
  details: [later('watch-details')],
  flags: [{ name: 'every', value: '<minutes>', summary: later('watch-every'), default: '60' }],
  is_local: true,
  has_progress_events: true,
  async run(context) {
    const minutes = Number(context.text('every'))
    if (!(minutes > 0 && minutes <= MAX_MINUTES))
      throw new UsageError(t('watch-bad-minutes', { max: String(MAX_MINUTES) }))
    const has = (flag: string) => flag === 'all' || context.has(flag)
    while (!context.signal.aborted) {
      try {
        const { json, lines } = await update.run({ ...context, args: [], has })
        if (context.has('json')) reportUpdates(context, json.games as Result[])
        else for (const line of lines) context.ui.note(line)
      } catch (error) {
        if (!context.signal.aborted) throw error
      }
      await pause(minutes * 60_000, undefined, { signal: context.signal }).catch(() => {})
    }
    return { json: { ok: true }, lines: [] }
  },
}

type Result = Record<string, unknown>

/** Failures are events already. */
function reportUpdates({ ui }: Context, results: readonly Result[]): void {
  for (const result of results)
    if (result.updated) ui.note(jsonLine({ event: 'updated', ...result }))
}
