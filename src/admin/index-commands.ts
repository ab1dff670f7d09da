import { invalidateSnapshots, requeueListings } from '../catalog/search/feed/rebuild-queries.ts'
import { type Command, noArguments } from './command.ts'

const BATCH = 1_000

export const searchCommands: Command[] = [
  {
    name: 'search rebuild',
    summary: 'have every process read the whole catalog anew into its search index',
    help: `Marks every listing as changed, in batches, and gives the catalog a new identity.

Running processes read each listing again within a second of its batch; searches go on meanwhile. Files in DATA_DIR/search
are no longer believed, so a process that starts later reads the catalog from the database.
It may be stopped and run again at any time. Next: GET /ready on each process says when its index is whole.`,
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
      return `${done} listings are being read anew by every running process`
    },
  },
]
