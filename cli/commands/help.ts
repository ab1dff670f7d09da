import { resolveCommand } from '../args.ts'
import type { Command } from '../command.ts'
import { later } from '../messages.ts'
import { help } from '../terminal/help.ts'

export const helpCommand = (all: () => readonly Command[]): Command => ({
  name: 'help',
  summary: later('help'),
  is_local: true,
  get args() {
    const words = [...new Set(all().map(({ name }) => name.split(' ')[0]!))]
    const summary = later('help-command')
    return [{ name: '<command>', summary, optional: true, many: true, words }]
  },
  examples: ['slipway help push', 'slipway help media add'],
  async run({ args }) {
    const command = args.length ? resolveCommand(args, all()) : undefined
    const text = help(all(), command, args)
    return { json: { ok: true, help: text }, lines: [text.trimEnd()] }
  },
})
