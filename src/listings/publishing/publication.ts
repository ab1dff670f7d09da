import { Type } from 'typebox'
import { approvalStates, readPublisherAccess } from '../../accounts/publishing/publishing.ts'
import { listOperatorUids } from '../../accounts/publishing/queries.ts'
import type { Tx } from '../../core/database/sql.ts'
import { OneOf } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { findRelease } from './release-queries.ts'
import { releaseStates } from './releases.ts'

/** What stands between a listing and its publication, for the people who edit it. */
export const PublicationData = Type.Object({
  may_publish: Type.Boolean({ description: 'Whether its owner may make listings public' }),
  approval: OneOf(['not_needed', 'none', ...approvalStates], {
    description: 'What operators decided about its owner, where publishing needs an approval',
  }),
  review: OneOf(['not_needed', 'needed', ...releaseStates], {
    description: 'What operators decided about its first release, where they review it',
  }),
  review_reason: Type.String({ description: 'Why its first release was declined' }),
})

type Reviewed = { uid: string; owner_uid: string; published_at: Date | null }

export async function readPublication({ sql, settings }: Core, listing: Reviewed) {
  const { publishing, review_first_release } = settings.current
  const { may_publish, approval } = await readPublisherAccess(sql, listing.owner_uid, publishing)
  const is_reviewed = review_first_release && !listing.published_at
  const release = is_reviewed ? await findRelease(sql, listing.uid) : undefined
  return {
    may_publish,
    approval:
      publishing === 'open' ? ('not_needed' as const) : (approval?.state ?? ('none' as const)),
    review: is_reviewed ? (release?.state ?? ('needed' as const)) : ('not_needed' as const),
    review_reason: release?.state === 'declined' ? release.reason : '',
  }
}

/** Mails the operators that a release waits for them. */
export async function announceRelease(core: Core, tx: Tx, game_uid: string): Promise<void> {
  for (const operator_uid of await listOperatorUids(tx))
    await core.jobs.send(tx, 'listings.mail-held-release', {
      game_uid,
      operator_uid,
      id: uuidv7(),
    })
}
