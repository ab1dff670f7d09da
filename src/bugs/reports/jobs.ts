import { job } from '../../core/jobs/index.ts'
import { retention } from '../../core/runtime/retention.ts'
import { DAY_MS, HOUR } from '../../core/runtime/units.ts'
import { uuidTime } from '../../core/security/crypto.ts'
import { findRecordedScreenshots } from './queries.ts'

const KEYS_PER_QUERY = 1000
const ORPHAN_MS = retention.orphaned_object_days * DAY_MS

/**
 * Removes screenshots without a ticket: the report was refused, the process crashed in between, or
 * the listing was deleted. Those younger than a day stay, because their ticket may still be filed.
 */
export const sweepScreenshots = job({
  name: 'bugs.sweep-screenshots',
  schedule: '33 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    let keys: string[] = []
    const flush = async () => {
      const recorded = await findRecordedScreenshots(core.sql, keys.map(uidOf))
      for (const key of keys) if (!recorded.has(uidOf(key))) await core.storage.remove(key)
      keys = []
    }
    for await (const { key } of core.storage.list('bugs/')) {
      signal.throwIfAborted()
      if (Date.now() - uuidTime(uidOf(key)) > ORPHAN_MS) keys.push(key)
      if (keys.length >= KEYS_PER_QUERY) await flush()
    }
    await flush()
  },
})

const uidOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
