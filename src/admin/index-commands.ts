import { invalidateSnapshots, requeueListings } from '../catalog/search/feed/rebuild-queries.ts'
import { counted } from '../core/text/counted.ts'
import { type Command, noArguments } from './command.ts'

const BATCH = 1_000

export const searchCommands: Command[] = [
  {
    name: 'search rebuild',
    summary: 'reload the whole catalog into the search index of every process',
    help: `Marks every listing as changed, in batches, and gives the catalog a new identity.

Running processes reload each listing within a second of its batch; search keeps working. Snapshots
in DATA_DIR/search become invalid, so a process that starts later reads the catalog from the
database. You can stop it and run it again at any time.

Next: GET /ready on each process shows when its index is complete.`,
    async run({ core, progress, signal, ...rest }) {
      noArguments(rest)
      await invalidateSnapshots(core.sql)
      let done = 0
      for (let after = 0; ; ) {
        signal.throwIfAborted()
        const batch = await requeueListings(core.sql, after, BATCH)
        if (!batch) break
        after = batch.last
        done += batch.count
        progress(`${done} listings`)
      }
      return `${counted(done, 'listing is', 'listings are')} being reloaded by every running process`
    },
  },
]
