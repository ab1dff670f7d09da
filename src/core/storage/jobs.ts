import { databaseTime } from '../database/sql.ts'
import { job } from '../jobs/index.ts'
import { HOUR } from '../runtime/units.ts'
import { readCleanUpState } from './sweep-limit.ts'
import { emptyTrash } from './trash.ts'

/**
 * A copy of the database is recognized by the tokens that were written since, so they are written
 * often.
 */
export const renewOwner = job({
  name: 'storage.renew-owner',
  schedule: '* * * * *',
  // An unavailable store is reported by /ready; the next run is a minute away.
  handle: ({ core }) =>
    core.owner.renew().catch((error: Error) => {
      core.log.warn({ error: error.message }, 'the marker of the object store was not renewed')
    }),
})

/**
 * Removes objects for good that have been in the trash for TRASH_DAYS. While a clean-up is refused,
 * nothing is: what it removed before may have to come back.
 */
export const emptyTrashJob = job({
  name: 'storage.empty-trash',
  schedule: '3 5 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    if (await core.owner.renew()) return
    if ((await readCleanUpState(core.sql)).sweeps.length) return
    // A wrong clock, of this machine or of the database, must not make objects look older.
    const now = new Date(Math.min(Date.now(), (await databaseTime(core.sql)).getTime()))
    await emptyTrash(core.storage, { days: core.config.trash_days, now, signal })
  },
})
