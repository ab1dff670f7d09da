import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { type ApprovalState, approvalStates } from '../../accounts/publishing/publishing.ts'
import { type ApprovalRow, listApprovals } from '../../accounts/publishing/queries.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'
import { decidePublisher, publisherDecisions } from './decide.ts'

const PUBLISHERS = '/api/v1/private/operations/publishers'
export const MAX_REASON = 1000

const ApprovalData = Type.Object({
  user_uid: Uid,
  username: Type.String(),
  email: Type.String(),
  email_verified: Type.Boolean(),
  member_since: Timestamp,
  state: OneOf(approvalStates),
  request: Type.String({ description: 'What the person wrote; empty without a request' }),
  requested_at: Nullable(Timestamp),
  reason: Type.String({ description: 'What the operators answered' }),
  decided_at: Nullable(Timestamp),
  decided_by: Nullable(Type.String()),
})
nameSchemas({ PublisherApproval: ApprovalData })

const showApproval = (row: ApprovalRow) => ({
  ...row,
  member_since: row.member_since.toISOString(),
  requested_at: row.requested_at?.toISOString() ?? null,
  decided_at: row.decided_at?.toISOString() ?? null,
})

export const listPublishersRoute = route({
  method: 'GET',
  url: PUBLISHERS,
  summary: 'For operators: who asked for the right to publish, has it, or was declined',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object({
    state: OneOf(approvalStates, { default: 'requested' }),
    ...pageQuery,
  }),
  data: Type.Object({ items: Type.Array(ApprovalData), ...pageData }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await listApprovals(sql, query.state as ApprovalState, window)
    return { items: rows.map(showApproval), total, page, page_size }
  },
})

export const decidePublisherRoute = route({
  method: 'POST',
  url: `${PUBLISHERS}/:username`,
  summary: 'For operators: give a person the right to publish, or decline it with a reason',
  description:
    'Also without a request, and to take the right back. Public listings stay. The person is mailed.',
  auth: operator,
  limits: [perAccount(60)],
  params: Type.Object({ username: Type.String() }),
  body: Body({
    decision: OneOf(publisherDecisions),
    reason: Type.String({
      maxLength: MAX_REASON,
      default: '',
      description: 'Mailed to the person; needed to decline',
    }),
  }),
  data: ApprovalData,
  errors: ['NOT_FOUND'],
  async handle({ core, who, params, body }) {
    const decision = { ...body, decided_by: who.user_uid }
    return showApproval(await decidePublisher(core, params.username, decision))
  },
})

export const publisherRoutes = [listPublishersRoute, decidePublisherRoute]
