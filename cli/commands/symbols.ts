import type { Command } from '../command.ts'
import { later } from '../messages.ts'
import { removeTemporary } from '../publish/package.ts'
import { findSymbols, uploadSymbols } from '../publish/symbols.ts'
import { buildId } from './status.ts'

export const symbols: Command = {
  name: 'symbols',
  summary: later('symbols'),
  details: [later('symbols-details')],
  args: [{ name: '<path>', summary: later('symbols-path') }],
  flags: [{ name: 'build-id', value: '<uuid>', summary: later('symbols-build'), required: true }],
  examples: ['slipway symbols build/symbols --build-id "$SVC_GAMES_BUILD_ID"'],
  async run(context) {
    const build_id = buildId(context.text('build-id')!)
    const batches = findSymbols(context.args[0]!)
    try {
      const stored = await uploadSymbols(await context.api(), build_id, batches)
      const names = stored.map(
        ({ module_name, debug_id }) => `${String(module_name)} ${String(debug_id)}`,
      )
      return { json: { ok: true, build_id, count: stored.length, symbols: stored }, lines: names }
    } finally {
      removeTemporary()
    }
  },
}
