import { job } from '../core/jobs/index.ts'
import { updatePopularity } from './popularity-queries.ts'
import { sweepAttempts } from './queries.ts'

export const updatePopularityJob = job({
  name: 'downloads.update-popularity',
  schedule: '*/10 * * * *',
  expire_seconds: 600,
  handle: ({ finish }) => finish(updatePopularity),
})

/** In batches, because a popular store has millions. */
export const sweepDownloadAttempts = job({
  name: 'downloads.sweep-attempts',
  schedule: '43 3 * * *',
  expire_seconds: 3600,
  async handle({ core, finish }) {
    let is_more = true
    while (is_more) is_more = await sweepAttempts(core.sql)
    await finish(async () => {})
  },
})
