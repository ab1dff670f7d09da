import type { Job } from '../../src/core/jobs/index.ts'
import type { Core } from '../../src/core/runtime/core.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { purgeDeletedListings } from '../../src/listings/listing/grace-jobs.ts'

type App = Pick<Core, 'sql'> & { core: Core }

/** Runs a job once in this process. */
export const runJob = ({ core, sql }: App, job: Job<any>) =>
  job.handle({
    core,
    data: {},
    id: uuidv7(),
    attempt: 1,
    signal: new AbortController().signal,
    finish: (effect) => sql.begin(effect) as never,
  })

/** Makes the deletion of listings so old, and runs the job that deletes old ones for good. */
export async function purgeAfter(app: App, age: string) {
  await app.sql`
    update all_listings set deleted_at = now() - ${age}::interval
    where deleted_at is not null`
  await runJob(app, purgeDeletedListings)
}
