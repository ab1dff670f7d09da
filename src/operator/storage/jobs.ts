import { job } from '../../core/jobs/index.ts'
import { HOUR, MINUTE_MS } from '../../core/runtime/units.ts'
import type { Expected } from '../../core/storage/recorded-objects.ts'
import { MEGABYTE, scrub, scrubObject } from './scrub.ts'

/** Shorter than the time between two runs. */
const RUN_MS = 9 * MINUTE_MS

/** Reads a part of the stored objects; the next run continues. */
export const scrubStorage = job({
  name: 'operator.scrub-storage',
  schedule: '*/10 * * * *',
  // A single object may be large and the rate low.
  expire_seconds: 12 * HOUR,
  async handle({ core, signal }) {
    const { scrub_days, scrub_mb_per_second } = core.config
    if (!scrub_days) return
    await scrub({
      core,
      bytes_per_second: scrub_mb_per_second * MEGABYTE,
      now: false,
      until: Date.now() + RUN_MS,
      signal,
    })
  },
})

/** Reads an object that was found to be damaged when it was used, without waiting for its turn. */
export const scrubDamagedObject = job<Expected>({
  name: 'operator.scrub-object',
  expire_seconds: 3 * HOUR,
  handle: ({ core, data, signal }) => scrubObject(core, data, signal),
})
