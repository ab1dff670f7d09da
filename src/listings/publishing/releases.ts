import type { Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { checkListing } from '../listing/check.ts'
import { refuseFailedCheck } from '../listing/edit.ts'
import { readFacts } from '../listing/facts-queries.ts'
import { findRelease, insertRelease } from './release-queries.ts'

/** What operators decided about the first release of a listing, or have to decide. */
export const releaseStates = ['waiting', 'approved', 'declined'] as const
export type ReleaseState = (typeof releaseStates)[number]

type Unpublished = { uid: string; published_at: Date | null }

/** Whether operators review a release: the first of a listing, until it was approved. */
export async function needsReview(
  tx: Tx,
  { uid, published_at }: Unpublished,
  { review_first_release }: { review_first_release: boolean },
): Promise<boolean> {
  if (!review_first_release || published_at) return false
  return (await findRelease(tx, uid))?.state !== 'approved'
}

/**
 * Asks the operators to review the first release. The listing must be ready to be public, so that
 * they review what visitors will see. The caller has locked the listing and saved its changes.
 */
export async function holdRelease(tx: Tx, { uid }: Unpublished, user_uid: string): Promise<void> {
  const release = await findRelease(tx, uid)
  if (release?.state === 'waiting')
    refuse(
      'RELEASE_HELD',
      { state: 'waiting', requested_at: release.requested_at.toISOString() },
      explain('release_waiting', 'The first release waits for a review; you will get a mail'),
    )
  const report = checkListing(await readFacts(tx, uid))
  if (report.errors.length) refuseFailedCheck(report)
  await insertRelease(tx, uid, user_uid)
}
