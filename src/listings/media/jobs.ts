import { job } from '../../core/jobs/index.ts'
import { DAY, HOUR } from '../../core/runtime/units.ts'
import { removeUnused } from './edit.ts'
import { unusedContent } from './queries.ts'
import { imageKey } from './url.ts'

const BATCH = 1000

/**
 * Finds content that no listing uses and schedules its removal for a day later, if it is still
 * unused then. The delay protects uploads that are in progress.
 */
export const sweepImages = job({
  name: 'listings.sweep-images',
  schedule: '23 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    let batch: string[] = []
    const scheduleRemoval = async () => {
      const sha256s = await unusedContent(core.sql, batch)
      if (sha256s.length)
        await core.jobs.send(
          core.sql,
          'listings.remove-images',
          { sha256s },
          { after_seconds: DAY },
        )
      batch = []
    }
    for await (const { key } of core.storage.list('images/')) {
      signal.throwIfAborted()
      const sha256 = key.slice(key.lastIndexOf('/') + 1)
      if (key === imageKey(sha256)) batch.push(sha256)
      if (batch.length === BATCH) await scheduleRemoval()
    }
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
