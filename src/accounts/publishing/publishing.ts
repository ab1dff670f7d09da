import type { Sql, Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import type { StoreSettings } from '../../core/settings/table.ts'
import { isOperator } from '../people/operator-queries.ts'
import { type Approval, findApproval, lockPublisher } from './queries.ts'

/** What operators decided about a person who wants to publish, or have to decide. */
export const approvalStates = ['requested', 'approved', 'declined'] as const
export type ApprovalState = (typeof approvalStates)[number]

export type PublishingMode = StoreSettings['publishing']

type Publisher = { state: ApprovalState | null; is_operator: boolean }

/** Operators may always publish, because they could approve themselves. */
export const mayPublish = (mode: PublishingMode, { state, is_operator }: Publisher): boolean =>
  mode === 'open' || state === 'approved' || is_operator

/** Refuses to publish for a person whom the operators have not approved. */
export async function checkPublisher(
  tx: Tx,
  user_uid: string,
  mode: PublishingMode,
): Promise<void> {
  if (mode === 'open') return
  const publisher = await lockPublisher(tx, user_uid)
  if (!mayPublish(mode, publisher)) refusePublisher(mode, publisher.state)
}

export function refusePublisher(mode: PublishingMode, state: ApprovalState | null): never {
  refuse(
    'PUBLISHING_NOT_ALLOWED',
    { field: 'visibility', state: state ?? 'none' },
    mode === 'invited'
      ? explain('publishing_invited', 'Only people whom the store invited may publish')
      : explain('publishing_approval', 'An operator must approve you before you can publish'),
  )
}

export type PublisherAccess = {
  mode: PublishingMode
  may_publish: boolean
  approval: Approval | undefined
}

/** Whether a person may publish, and what was decided about them. */
export async function readPublisherAccess(
  sql: Sql,
  user_uid: string,
  mode: PublishingMode,
): Promise<PublisherAccess> {
  const [approval, is_operator] = await Promise.all([
    findApproval(sql, user_uid),
    isOperator(sql, user_uid),
  ])
  const state = approval?.state ?? null
  return { mode, may_publish: mayPublish(mode, { state, is_operator }), approval }
}
