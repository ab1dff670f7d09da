import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { job } from '../../core/jobs/index.ts'
import { lockPurgeable } from '../deleted/queries.ts'
import { typesWithParent } from './change.ts'
import { joinChanges, sweepChanges } from './change-queries.ts'
import { checkListing, graceOver } from './check.ts'
import { readFacts } from './facts-queries.ts'
import { sweepFormerNames } from './former-name-queries.ts'
import { deleteListing, hideListing, lockPublicBefore } from './queries.ts'

/**
 * Pages that were public before the listing check was enabled have thirty days to pass it. This job
 * hides those that still fail.
 */
export const endGrace = job({
  name: 'listings.end-grace',
  schedule: '41 2 * * *',
  expire_seconds: 600,
  async handle({ core, finish }) {
    const check_since = core.config.listing_check_since ?? null
    const now = new Date()
    if (!check_since || !graceOver({ check_since, public_since: check_since, now })) return
    await finish(async (tx) => {
      for (const uid of await lockPublicBefore(tx, check_since))
        if (!checkListing(await readFacts(tx, uid)).ready) await hideListing(tx, uid)
    })
  },
})

/** Deletes old changes: only recent ones are needed to invalidate cached pages. */
export const sweepListingChanges = job({
  name: 'listings.sweep-changes',
  schedule: '23 * * * *',
  handle: ({ finish }) => finish(sweepChanges),
})

export const sweepFormerNamesJob = job({
  name: 'listings.sweep-former-names',
  schedule: '17 3 * * *',
  handle: ({ finish }) => finish(sweepFormerNames),
})

/** Listings per transaction: deleting one can delete many rows. */
const PURGE_BATCH = 10

/** Deletes listings for good that can no longer be restored. Sweeps remove their objects. */
export const purgeDeletedListings = job({
  name: 'listings.purge-deleted',
  schedule: '7 * * * *',
  expire_seconds: 600,
  async handle({ core, signal }) {
    for (let count = PURGE_BATCH; count === PURGE_BATCH && !signal.aborted; )
      count = await transact(core.sql, purgeBatch)
  },
})

async function purgeBatch(tx: Tx): Promise<number> {
  const uids = await lockPurgeable(tx, PURGE_BATCH)
  for (const uid of uids) await deleteListing(tx, uid, typesWithParent)
  return uids.length
}

/**
 * Every page that shows a listing reads all of its changes, so a listing that is edited very often
 * would slow those pages down.
 */
const MAX_CHANGES = 500
export const joinListingChanges = job({
  name: 'listings.join-changes',
  schedule: '*/2 * * * *',
  handle: ({ finish }) => finish((tx) => joinChanges(tx, MAX_CHANGES)),
})
