import { job } from '../../core/jobs/index.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { unusedContent } from '../../listings/media/queries.ts'
import { contentOf, RENDITIONS } from './renditions.ts'

const BATCH = 1000

/**
 * Deletes the renditions of images that no listing uses. They can be rendered again, so no grace
 * period is needed.
 */
export const sweepRenditions = job({
  name: 'assets.sweep-renditions',
  schedule: '47 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    let batch: { key: string; sha256: string }[] = []
    const sweep = async () => {
      const unused = new Set(
        await unusedContent(core.sql, [...new Set(batch.map(({ sha256 }) => sha256))]),
      )
      for (const { key, sha256 } of batch) if (unused.has(sha256)) await core.storage.remove(key)
      batch = []
    }
    for await (const { key } of core.storage.list(RENDITIONS)) {
      signal.throwIfAborted()
      const sha256 = contentOf(key)
      if (sha256) batch.push({ key, sha256 })
      if (batch.length === BATCH) await sweep()
    }
    await sweep()
  },
})
