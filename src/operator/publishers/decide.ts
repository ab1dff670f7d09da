import { findPersonByLogin } from '../../accounts/people/operator-queries.ts'
import {
  type ApprovalRow,
  approvePublisher,
  declinePublisher,
  findApprovalRow,
} from '../../accounts/publishing/queries.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'

export const publisherDecisions = ['approve', 'decline'] as const
export type PublisherDecision = {
  decision: (typeof publisherDecisions)[number]
  reason: string
  /** The operator. */
  decided_by: string
}

/** Gives a person the right to publish, or declines it with a reason. The person is mailed. */
export async function decidePublisher(
  core: Core,
  login: string,
  { decision, decided_by, ...rest }: PublisherDecision,
): Promise<ApprovalRow> {
  const is_approved = decision === 'approve'
  const reason = rest.reason.trim()
  if (!is_approved && !reason)
    refuse('MALFORMED', { field: 'reason' }, explain('required', 'reason: say why'))
  const person = (await findPersonByLogin(core.sql, login)) ?? refuse('NOT_FOUND')
  const change = { user_uid: person.uid, reason, decided_by }
  return transact(core.sql, async (tx) => {
    const changed = await (is_approved ? approvePublisher : declinePublisher)(tx, change)
    if (changed)
      await core.jobs.send(tx, 'accounts.mail-publishing-decision', {
        user_uid: person.uid,
        id: uuidv7(),
      })
    return (await findApprovalRow(tx, person.uid))!
  })
}
