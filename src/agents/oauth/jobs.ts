import { job } from '../../core/jobs/index.ts'
import { retention } from '../../core/runtime/retention.ts'
import { sweepRecords } from './queries.ts'

/** A client without a grant is deleted after a while and has to register again. */
export const sweepGrants = job({
  name: 'agents.sweep-grants',
  schedule: '23 * * * *',
  handle: ({ finish }) => finish((tx) => sweepRecords(tx, retention.oauth_client_days)),
})
