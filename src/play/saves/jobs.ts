import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isOldUid, removeOrphans } from '../../core/storage/remove-orphans.ts'
import { findRecordedSaves } from './queries.ts'

/**
 * Removes the bytes of saves without a record: the process crashed in between, or the account or
 * the listing was deleted.
 */
export const sweepSaves = job({
  name: 'play.sweep-saves',
  schedule: '47 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const findOrphans = async (keys: string[]) => {
      const recorded = await findRecordedSaves(core.sql, keys.map(uidOf))
      return keys.filter((key) => !recorded.has(uidOf(key)))
    }
    const isCandidate = (key: string, now: Date) => isOldUid(uidOf(key), now)
    const prefixes = ['saves/']
    await removeOrphans(core, { name: 'saves', prefixes, isCandidate, findOrphans, signal })
  },
})

const uidOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
