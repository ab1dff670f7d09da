import type { Command } from './command.ts'

/** Starts the service itself, so admin.ts runs it in place of a command that uses a service. */
export const drillCommand: Command = {
  name: 'drill',
  summary: 'start a restored copy of the store that sends nothing and changes no object',
  help: `Starts the service like "npm start", with SLIPWAY_DRILL=on: it sends no mail and no webhook, makes
no other outbound request, runs no job, reads objects and neither writes nor removes any, and uses
neither REDIS_URL nor DATABASE_REPLICA_URL. Every page says so, and /ready has the check "drill". It
may have the settings of the live store, with two exceptions: DATABASE_URL (or DATA_DIR) must be that
of the restored copy, and PORT a free one.

Next: run "storage check" with the same settings and SLIPWAY_DRILL=on, open some pages, then stop it
with Ctrl-C and drop the copy (docs/backup.md).`,
  run: async () => {
    throw new Error('The drill is started by admin.ts')
  },
}
