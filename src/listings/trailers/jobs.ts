import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { removeOrphans } from '../../core/storage/remove-orphans.ts'
import { findRecordedVideos } from './queries.ts'
import { objectOfKey, VIDEO_PREFIX } from './url.ts'

/** Removes videos without a trailer: replaced, deleted, rejected by the scan, or never recorded. */
export const sweepTrailers = job({
  name: 'listings.sweep-trailers',
  schedule: '43 4 * * *',
  expire_seconds: HOUR,
  async handle({ core: { storage, sql }, signal }) {
    const findOrphans = async (keys: string[]) => {
      const recorded = await findRecordedVideos(sql, keys.map(objectOfKey))
      return keys.filter((key) => !recorded.has(objectOfKey(key)))
    }
    await removeOrphans(storage, { prefix: VIDEO_PREFIX, uidOf: objectOfKey, findOrphans, signal })
  },
})
