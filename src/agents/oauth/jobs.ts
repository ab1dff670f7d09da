import { job } from '../../core/jobs/index.ts'
import { sweepRecords } from './queries.ts'

/** A client without a grant is deleted after this time and has to register again. */
const CLIENT_DAYS = 90

export const sweepGrants = job({
  name: 'agents.sweep-grants',
  schedule: '23 * * * *',
  handle: ({ finish }) => finish((tx) => sweepRecords(tx, CLIENT_DAYS)),
})
