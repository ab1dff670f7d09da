import { job } from '../../core/jobs/index.ts'
import { checkListing, graceOver } from './check.ts'
import { hideListing, joinChanges, lockPublicBefore, readFacts, sweepChanges } from './queries.ts'

/** Pages that were public before the listing check began had thirty days to pass it; those that still fail leave the catalog. */
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

/** Pages are refreshed by the newest changes; older ones have done their work. */
export const sweepListingChanges = job({
  name: 'listings.sweep-changes',
  schedule: '23 * * * *',
  handle: ({ finish }) => finish(sweepChanges),
})

/** Every page that shows a listing looks at all its changes, so someone who edits without end would make them slow. */
const MOST_CHANGES = 500
export const joinListingChanges = job({
  name: 'listings.join-changes',
  schedule: '*/2 * * * *',
  handle: ({ finish }) => finish((tx) => joinChanges(tx, MOST_CHANGES)),
})
