import { job } from '../../core/jobs/index.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isOldUid, removeOrphans } from '../../core/storage/remove-orphans.ts'
import { markEndedChannels } from '../channels/queries.ts'
import { deleteOldRejectedFiles, findRecordedUids } from './queries.ts'

/** Removes stored bytes; enqueued in the transaction that deletes their records. */
export const removeObjects = job<{ keys: string[] }>({
  name: 'builds.remove-objects',
  expire_seconds: 600,
  async handle({ core, data: { keys } }) {
    for (const key of keys) await core.storage.remove(key)
    crashPoint('objects-removed')
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

/** Removes files and symbol files without a record. */
export const sweepObjects = job({
  name: 'builds.sweep-objects',
  schedule: '11 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const findOrphans = async (keys: string[]) => {
      const recorded = await findRecordedUids(core.sql, keys.map(uidOf))
      return keys.filter((key) => !recorded.has(uidOf(key)))
    }
    const isCandidate = (key: string, now: Date) => isOldUid(uidOf(key), now)
    const prefixes = ['builds/', 'symbols/']
    await removeOrphans(core, { name: 'builds', prefixes, isCandidate, findOrphans, signal })
  },
})

const uidOf = (key: string) => key.split('/').at(-1)!.slice(0, 36)
