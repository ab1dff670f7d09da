import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { BRAND_PREFIX, uidOfBrandKey } from '../../core/settings/brand-images.ts'
import { isOldUid, removeOrphans } from '../../core/storage/remove-orphans.ts'
import { readUsedImageUids } from './queries.ts'

/** Removes files of logos and favicons that were replaced or removed. */
export const sweepBrandImages = job({
  name: 'operator.sweep-brand-images',
  schedule: '53 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const findOrphans = async (keys: string[]) => {
      const used = await readUsedImageUids(core.sql)
      return keys.filter((key) => !used.has(uidOfBrandKey(key)))
    }
    const isCandidate = (key: string, now: Date) => isOldUid(uidOfBrandKey(key), now)
    const prefixes = [BRAND_PREFIX]
    await removeOrphans(core, { name: 'branding', prefixes, isCandidate, findOrphans, signal })
  },
})
