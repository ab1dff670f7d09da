import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isOldUid, removeOrphans } from '../../core/storage/remove-orphans.ts'
import { findRecordedVideos } from './queries.ts'
import { objectOfKey, VIDEO_PREFIX } from './url.ts'

/** Removes videos without a trailer: replaced, deleted, rejected by the scan, or never recorded. */
export const sweepTrailers = job({
  name: 'listings.sweep-trailers',
  schedule: '43 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const findOrphans = async (keys: string[]) => {
      const recorded = await findRecordedVideos(core.sql, keys.map(objectOfKey))
      return keys.filter((key) => !recorded.has(objectOfKey(key)))
    }
    const isCandidate = (key: string, now: Date) => isOldUid(objectOfKey(key), now)
    const prefixes = [VIDEO_PREFIX]
    await removeOrphans(core, { name: 'trailers', prefixes, isCandidate, findOrphans, signal })
  },
})
