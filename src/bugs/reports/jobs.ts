import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isOldUid, removeOrphans } from '../../core/storage/remove-orphans.ts'
import { findRecordedScreenshots } from './queries.ts'

/**
 * Removes screenshots without a ticket: the report was refused, the process crashed in between, or
 * the listing was deleted.
 */
export const sweepScreenshots = job({
  name: 'bugs.sweep-screenshots',
  schedule: '33 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const findOrphans = async (keys: string[]) => {
      const recorded = await findRecordedScreenshots(core.sql, keys.map(uidOf))
      return keys.filter((key) => !recorded.has(uidOf(key)))
    }
    const isCandidate = (key: string, now: Date) => isOldUid(uidOf(key), now)
    const prefixes = ['bugs/']
    await removeOrphans(core, { name: 'screenshots', prefixes, isCandidate, findOrphans, signal })
  },
})

const uidOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
