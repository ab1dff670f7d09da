import { job } from '../core/jobs/index.ts'
import { updatePopularity } from './popularity-queries.ts'

export const updatePopularityJob = job({
  name: 'downloads.update-popularity',
  schedule: '*/10 * * * *',
  expire_seconds: 600,
  handle: ({ finish }) => finish(updatePopularity),
})
