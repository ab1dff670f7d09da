import { job } from '../../core/jobs/index.ts'
import { sweepRecords } from './queries.ts'

/** A client that comes back after that introduces itself again. */
const CLIENT_DAYS = 90

export const sweepGrants = job({
  name: 'agents.sweep-grants',
  schedule: '23 * * * *',
  handle: ({ finish }) => finish((tx) => sweepRecords(tx, CLIENT_DAYS)),
})
