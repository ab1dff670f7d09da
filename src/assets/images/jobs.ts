import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { removeOrphans } from '../../core/storage/remove-orphans.ts'
import { unusedContent } from '../../listings/media/queries.ts'
import { contentOf, RENDITIONS } from './renditions.ts'

/**
 * Deletes the renditions of images that no listing uses. They can be rendered again, so no grace
 * period is needed.
 */
export const sweepRenditions = job({
  name: 'assets.sweep-renditions',
  schedule: '47 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const findOrphans = async (keys: string[]) => {
      const sha256s = new Set(keys.map((key) => contentOf(key)!))
      const unused = new Set(await unusedContent(core.sql, [...sha256s]))
      return keys.filter((key) => unused.has(contentOf(key)!))
    }
    await removeOrphans(core, {
      name: 'package-icons',
      prefixes: [RENDITIONS],
      isCandidate: (key) => contentOf(key) !== undefined,
      findOrphans,
      async removeBatch(keys) {
        for (const key of keys) await core.storage.discard(key)
      },
      signal,
    })
  },
})
