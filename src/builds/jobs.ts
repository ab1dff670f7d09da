import { job } from '../core/jobs.ts'
import { forgetRejected } from './queries.ts'

/** Bytes whose records went: sent in the transaction that deleted them. */
export const removeObjects = job<{ keys: string[] }>({
  name: 'builds.remove-objects',
  expire_seconds: 600,
  async handle({ core, data: { keys } }) {
    for (const key of keys) await core.storage.remove(key)
  },
})

/** Rejected uploads are told of for a month. */
export const sweepRejected = job({
  name: 'builds.sweep-rejected',
  schedule: '41 3 * * *',
  handle: ({ finish }) => finish(forgetRejected),
})
