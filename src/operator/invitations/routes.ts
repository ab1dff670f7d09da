import { Type } from 'typebox'
import {
  invitationLimits,
  invitationProblem,
  makeInvitation,
} from '../../accounts/invitations/invitations.ts'
import {
  endInvitation,
  type InvitationRow,
  listInvitations,
} from '../../accounts/invitations/queries.ts'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'

const INVITATIONS = '/api/v1/private/operations/invitations'

const InvitationData = Type.Object({
  uid: Uid,
  note: Type.String({ description: 'For the operators; the invited people do not see it' }),
  max_uses: Type.Integer(),
  uses: Type.Integer(),
  may_publish: Type.Boolean({
    description: 'Whether people who sign up with it may publish without a further approval',
  }),
  state: OneOf(['open', 'used', 'expired']),
  created_at: Timestamp,
  expires_at: Timestamp,
  created_by: Nullable(Type.String()),
  usernames: Type.Array(Type.String(), { description: 'Who signed up with it; the first 50' }),
})
nameSchemas({ Invitation: InvitationData })

const showInvitation = ({ created_at, expires_at, ...row }: InvitationRow) => ({
  ...row,
  state: (invitationProblem({ ...row, expires_at }, new Date()) ?? 'open') as 'open' | 'used',
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
})

export const listInvitationsRoute = route({
  method: 'GET',
  url: INVITATIONS,
  summary: 'For operators: the invitations to sign up, the newest first',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object(pageQuery),
  data: Type.Object({ items: Type.Array(InvitationData), ...pageData }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await listInvitations(sql, window)
    return { items: rows.map(showInvitation), total, page, page_size }
  },
})

export const makeInvitationRoute = route({
  method: 'POST',
  url: INVITATIONS,
  summary: 'For operators: make an invitation to sign up',
  description: 'The link is in the answer only; the service keeps a hash of its token.',
  auth: operator,
  limits: [perAccount(60)],
  body: Body({
    note: Type.String({ maxLength: invitationLimits.note, default: '' }),
    max_uses: Type.Integer({ minimum: 1, maximum: invitationLimits.uses, default: 1 }),
    expires_in_days: Type.Integer({ minimum: 1, maximum: invitationLimits.days, default: 14 }),
    may_publish: Type.Boolean({ default: false }),
  }),
  status: 201,
  data: Type.Object({ ...InvitationData.properties, url: Type.String({ format: 'uri' }) }),
  async handle({ core, who, body }) {
    const { invitation, url } = await makeInvitation(core, who.user_uid, body)
    return { ...showInvitation(invitation), url }
  },
})

export const endInvitationRoute = route({
  method: 'DELETE',
  url: `${INVITATIONS}/:uid`,
  summary: 'For operators: end an invitation; accounts that were made with it stay',
  auth: operator,
  limits: [perAccount(60)],
  params: Type.Object({ uid: Type.String() }),
  data: InvitationData,
  errors: ['NOT_FOUND'],
  async handle({ sql, params }) {
    return showInvitation((await endInvitation(sql, params.uid)) ?? refuse('NOT_FOUND'))
  },
})

export const invitationRoutes = [listInvitationsRoute, makeInvitationRoute, endInvitationRoute]
