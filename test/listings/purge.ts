import type { Core } from '../../src/core/runtime/core.ts'
import { purgeDeletedListings } from '../../src/listings/listing/grace-jobs.ts'
import { runJob } from '../support/app.ts'

type App = Pick<Core, 'sql'> & { core: Core }

/** Makes the deletion of listings so old, and runs the job that deletes old ones for good. */
export async function purgeAfter(app: App, age: string) {
  await app.sql`
    update all_listings set deleted_at = now() - ${age}::interval
    where deleted_at is not null`
  await runJob(app, purgeDeletedListings)
}
