import { Type } from 'typebox'
import type { Sql } from '../../core/database/sql.ts'
import { Body, Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { DAY, HOUR } from '../../core/runtime/units.ts'
import { isUuid, sameBytes } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { sixDigitCode } from '../credentials/codes.ts'
import type { Identity } from '../sessions/identity.ts'
import { anyAgent, website } from '../sessions/schemes.ts'
import { APPROVAL_SECONDS, approvalData, MAX_APPROVAL_ATTEMPTS } from './approvals.ts'
import {
  type ApprovalRow,
  decide,
  findApproval,
  listApprovals,
  takeApprovalAttempt,
} from './queries.ts'

const MAX_LISTED = 100
const Text = Type.String()
const url = '/api/v1/private/approvals'
const params = Type.Object({ uid: Text })
const ApprovalData = Type.Object({
  uid: Uid,
  status: OneOf(['pending', 'approved', 'denied', 'expired', 'used']),
  action: Text,
  summary: Text,
  game_uid: Nullable(Uid),
  game_name: Type.String({ description: 'The listing; without one the name of the store' }),
  confirm_url: Text,
  created_at: Timestamp,
  decided_at: Nullable(Timestamp),
  expires_at: Timestamp,
})
nameSchemas({ Approval: ApprovalData })

/** A key bound to one project finds only the approvals of that project. */
async function requireOwn(sql: Sql, who: Identity, uid: string): Promise<ApprovalRow> {
  const approval = isUuid(uid) ? await findApproval(sql, who.user_uid, uid) : undefined
  const visible = approval && (!who.game_uid || who.game_uid === approval.game_uid)
  return visible ? approval : refuse('NOT_FOUND')
}

export const listApprovalsRoute = route({
  method: 'GET',
  url,
  summary: 'List the approvals that your agents requested, newest first',
  auth: website,
  data: Type.Object({ approvals: Type.Array(ApprovalData) }),
  async handle({ core, sql, who }) {
    const rows = await listApprovals(sql, who.user_uid, MAX_LISTED)
    return { approvals: rows.map((row) => approvalData(core, row)) }
  },
})

export const readApprovalRoute = route({
  method: 'GET',
  url: `${url}/:uid`,
  summary: 'Read an approval and its status',
  auth: anyAgent,
  params,
  data: ApprovalData,
  errors: ['NOT_FOUND'],
  handle: async ({ core, sql, who, params }) =>
    approvalData(core, await requireOwn(sql, who, params.uid)),
})

const decision = (verb: 'approve' | 'deny', status: 'approved' | 'denied', summary: string) =>
  route({
    method: 'POST',
    url: `${url}/:uid/${verb}`,
    summary,
    auth: website,
    step_up: verb === 'approve',
    params,
    data: ApprovalData,
    errors: ['NOT_FOUND', 'APPROVAL_CLOSED'],
    async handle({ core, sql, who, params }) {
      await requireOwn(sql, who, params.uid)
      const row = await decide(sql, {
        uid: params.uid,
        user_uid: who.user_uid,
        status,
        valid_seconds: APPROVAL_SECONDS,
      })
      return approvalData(core, row ?? refuse('APPROVAL_CLOSED'))
    },
  })

export const approveRoute = decision(
  'approve',
  'approved',
  'Approve a request of an agent; the agent then repeats its call',
)
export const denyRoute = decision('deny', 'denied', 'Deny a request of an agent')

export const confirmApprovalRoute = route({
  method: 'POST',
  url: `${url}/:uid/confirm`,
  summary: 'Approve a request with the six-digit code from the mail',
  auth: anyAgent,
  step_up: true,
  limits: [
    perAccount(10, { seconds: HOUR, bucket: 'approval codes an hour' }),
    perAccount(30, { seconds: DAY, bucket: 'approval codes a day' }),
  ],
  params,
  body: Body({ code: Type.String({ pattern: '^\\s*\\d{6}\\s*$' }) }),
  data: ApprovalData,
  errors: ['NOT_FOUND', 'APPROVAL_CLOSED', 'INVALID_EMAIL_CODE'],
  async handle({ core, sql, who, params, body }) {
    const { uid, status } = await requireOwn(sql, who, params.uid)
    if (status !== 'pending') refuse('APPROVAL_CLOSED')
    const { user_uid } = who
    const code = sixDigitCode(core.secrets.mac('approval code', uid))
    const attempt = await takeApprovalAttempt(sql, { uid, user_uid }, MAX_APPROVAL_ATTEMPTS)
    if (!attempt || !sameBytes(code, body.code.trim())) refuse('INVALID_EMAIL_CODE')
    const decision = { uid, user_uid, status: 'approved', valid_seconds: APPROVAL_SECONDS } as const
    return approvalData(core, (await decide(sql, decision)) ?? refuse('APPROVAL_CLOSED'))
  },
})

export const approvalRoutes = [
  listApprovalsRoute,
  readApprovalRoute,
  approveRoute,
  denyRoute,
  confirmApprovalRoute,
]
