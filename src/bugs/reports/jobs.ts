import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { removeOrphans } from '../../core/storage/remove-orphans.ts'
import { findRecordedScreenshots } from './queries.ts'

/**
 * Removes screenshots without a ticket: the report was refused, the process crashed in between, or
 * the listing was deleted.
 */
export const sweepScreenshots = job({
  name: 'bugs.sweep-screenshots',
  schedule: '33 4 * * *',
  expire_seconds: HOUR,
  async handle({ core: { storage, sql }, signal }) {
    const findOrphans = async (keys: string[]) => {
      const recorded = await findRecordedScreenshots(sql, keys.map(uidOf))
      return keys.filter((key) => !recorded.has(uidOf(key)))
    }
    await removeOrphans(storage, { prefix: 'bugs/', uidOf, findOrphans, signal })
  },
})

const uidOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
