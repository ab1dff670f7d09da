import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { retention } from '../../core/runtime/retention.ts'
import { DAY_MS, HOUR } from '../../core/runtime/units.ts'
import { uuidTime } from '../../core/security/crypto.ts'
import { markEndedChannels } from '../channels/queries.ts'
import { deleteOldRejectedFiles, findRecordedUids } from './queries.ts'

const ORPHAN_MS = retention.orphaned_object_days * DAY_MS
const KEYS_PER_QUERY = 1000

/** Removes stored bytes; enqueued in the transaction that deletes their records. */
export const removeObjects = job<{ keys: string[] }>({
  name: 'builds.remove-objects',
  expire_seconds: 600,
  async handle({ core, data: { keys } }) {
    for (const key of keys) await core.storage.remove(key)
  },
})

export const sweepRejected = job({
  name: 'builds.sweep-rejected',
  schedule: '41 3 * * *',
  handle: ({ finish }) => finish(deleteOldRejectedFiles),
})

/**
 * A channel whose promotion has expired stops showing its files by itself. This records the end, so
 * that search indexes and caches drop what they copied from it.
 */
export const endChannelsJob = job({
  name: 'builds.end-channels',
  schedule: '* * * * *',
  handle: ({ finish }) => finish(markEndedChannels),
})

/**
 * Removes bytes without a record, left by a crash between the two or by a deleted listing. Those
 * younger than a day stay, because their record may still be written.
 */
export const sweepObjects = job({
  name: 'builds.sweep-objects',
  schedule: '11 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    for (const prefix of ['builds/', 'symbols/']) await removeUnrecorded(core, prefix, signal)
  },
})

async function removeUnrecorded(
  { storage, sql }: Core,
  prefix: string,
  signal: AbortSignal,
): Promise<void> {
  let keys: string[] = []
  const flush = async () => {
    const recorded = await findRecordedUids(sql, keys.map(uidOf))
    for (const key of keys) if (!recorded.has(uidOf(key))) await storage.remove(key)
    keys = []
  }
  for await (const { key } of storage.list(prefix)) {
    signal.throwIfAborted()
    if (Date.now() - uuidTime(uidOf(key)) > ORPHAN_MS) keys.push(key)
    if (keys.length >= KEYS_PER_QUERY) await flush()
  }
  await flush()
}

const uidOf = (key: string) => key.split('/').at(-1)!.slice(0, 36)
