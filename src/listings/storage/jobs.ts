import { job } from '../../core/jobs/index.ts'
import { foldStorageChanges, recountSome } from './queries.ts'

const BATCH = 100

/** Adds up what all listings store, and counts the files of listings from before quotas. */
export const countStorage = job({
  name: 'listings.count-storage',
  schedule: '* * * * *',
  async handle({ core: { sql }, signal }) {
    while ((await recountSome(sql, BATCH)) === BATCH) signal.throwIfAborted()
    await foldStorageChanges(sql)
  },
})
