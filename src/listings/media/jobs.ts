import { job } from '../../core/jobs/index.ts'
import { DAY, HOUR } from '../../core/runtime/units.ts'
import { removeOrphans } from '../../core/storage/remove-orphans.ts'
import { parseKey, RENDITION_PREFIX } from '../renditions/rendition-rules.ts'
import { removeUnused } from './edit.ts'
import { unusedContent } from './queries.ts'
import { imageKey } from './url.ts'

/** The hash of an original; undefined for any other key. */
function originalOf(key: string): string | undefined {
  const sha256 = key.slice(key.lastIndexOf('/') + 1)
  return key === imageKey(sha256) ? sha256 : undefined
}
/** The hash of the content that an object is, or was made from. */
const contentHash = (key: string) => originalOf(key) ?? parseKey(key)?.sha256

/**
 * Finds content that no listing or profile uses and schedules its removal for a day later, if it is still
 * unused then. The delay protects uploads that are in progress. Renditions are removed with their
 * originals; those listed here have none any more, for example after a restore.
 */
export const sweepImages = job({
  name: 'listings.sweep-images',
  schedule: '23 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const hashesOf = (keys: string[]) => [...new Set(keys.map((key) => contentHash(key)!))]
    await removeOrphans(core, {
      name: 'images',
      prefixes: ['images/', RENDITION_PREFIX],
      isCandidate: (key) => contentHash(key) !== undefined,
      async findOrphans(keys) {
        const unused = new Set(await unusedContent(core.sql, hashesOf(keys)))
        return keys.filter((key) => unused.has(contentHash(key)!))
      },
      async removeBatch(keys) {
        const sha256s = hashesOf(keys)
        const options = { after_seconds: DAY }
        await core.jobs.send(core.sql, 'listings.remove-images', { sha256s }, options)
      },
      signal,
    })
  },
})

export const removeImages = job<{ sha256s: string[] }>({
  name: 'listings.remove-images',
  expire_seconds: HOUR,
  async handle({ core, data: { sha256s }, signal }) {
    for (const sha256 of sha256s) {
      signal.throwIfAborted()
      await removeUnused(core, sha256)
    }
  },
})
