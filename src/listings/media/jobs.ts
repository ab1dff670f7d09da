import { job } from '../../core/jobs/index.ts'
import { DAY, HOUR } from '../../core/runtime/units.ts'
import { parseKey, RENDITION_PREFIX } from '../renditions/rendition-rules.ts'
import { removeUnused } from './edit.ts'
import { unusedContent } from './queries.ts'
import { imageKey } from './url.ts'

const BATCH = 1000

/** The hash of an original; undefined for any other key. */
function originalOf(key: string): string | undefined {
  const sha256 = key.slice(key.lastIndexOf('/') + 1)
  return key === imageKey(sha256) ? sha256 : undefined
}
const renditionOriginal = (key: string) => parseKey(key)?.sha256

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
    let batch = new Set<string>()
    const scheduleRemoval = async () => {
      const sha256s = await unusedContent(core.sql, [...batch])
      if (sha256s.length)
        await core.jobs.send(
          core.sql,
          'listings.remove-images',
          { sha256s },
          { after_seconds: DAY },
        )
      batch = new Set()
    }
    const add = async (sha256: string | undefined) => {
      signal.throwIfAborted()
      if (sha256) batch.add(sha256)
      if (batch.size === BATCH) await scheduleRemoval()
    }
    for await (const { key } of core.storage.list('images/')) await add(originalOf(key))
    for await (const { key } of core.storage.list(RENDITION_PREFIX))
      await add(renditionOriginal(key))
    await scheduleRemoval()
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
