import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { changeListing } from '../../listings/listing/change.ts'
import { enforceListingCheck, requirePaymentAccount } from '../../listings/listing/edit.ts'
import { lockListing } from '../../listings/listing/queries.ts'
import { listingRules } from '../../listings/listing/store-rules.ts'
import {
  decideRelease,
  findReleaseRow,
  type ReleaseRow,
} from '../../listings/publishing/release-queries.ts'

export const releaseDecisions = ['approve', 'decline'] as const
export type ReleaseDecision = {
  decision: (typeof releaseDecisions)[number]
  reason: string
  /** A listing that changed since this version is not published. */
  version?: number | undefined
}

/** Publishes a first release, or declines it with a reason. The owner is mailed. */
export async function decideHeldRelease(
  core: Core,
  { user_uid }: { user_uid: string },
  game: string,
  { decision, version, ...rest }: ReleaseDecision,
): Promise<ReleaseRow> {
  const is_approved = decision === 'approve'
  const reason = rest.reason.trim()
  if (!is_approved && !reason)
    refuse('MALFORMED', { field: 'reason' }, explain('required', 'reason: say why'))
  return transact(core.sql, async (tx) => {
    const listing = (await lockListing(tx, game, null)) ?? refuse('NOT_FOUND')
    const { uid: game_uid } = listing
    const state = is_approved ? 'approved' : 'declined'
    const before = (await findReleaseRow(tx, game_uid)) ?? refuse('NOT_FOUND')
    if (is_approved && version !== undefined && version !== before.version)
      refuse('CONFLICT', { version: before.version }, CHANGED)
    if (!(await decideRelease(tx, { game_uid, state, reason, decided_by: user_uid })))
      refuse('CONFLICT', { state: before.state }, DECIDED)
    if (is_approved) {
      const rules = listingRules(core.settings.current)
      const change = { who: { user_uid, game_uid: null }, patch: { visibility: 'public' as const } }
      await enforceListingCheck(tx, listing, () =>
        requirePaymentAccount(core, tx, game_uid, () =>
          changeListing(tx, { ...change, listing, rules }),
        ),
      )
    }
    await core.jobs.send(tx, 'listings.mail-release-decision', { game_uid, id: uuidv7() })
    return (await findReleaseRow(tx, game_uid))!
  })
}

const DECIDED = explain('release_decided', 'This release was decided already')
const CHANGED = explain('release_changed', 'The listing changed since you opened it; look again')
