import { Type } from 'typebox'
import type { Sql } from '../../core/database/sql.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid, sameBytes } from '../../core/security/crypto.ts'
import { DAY, HOUR, perAccount } from '../../core/security/limits.ts'
import { digitsFrom } from '../people/account-rules.ts'
import type { Identity } from '../sessions/identity.ts'
import { anyAgent, website } from '../sessions/schemes.ts'
import { APPROVAL_SECONDS, APPROVAL_TRIES, shownApproval } from './approvals.ts'
import {
  type ApprovalRow,
  decide,
  findApproval,
  listApprovals,
  takeApprovalTry,
} from './queries.ts'

const MOST_LISTED = 100
const Text = Type.String()
const url = '/api/v1/private/approvals'
const params = Type.Object({ uid: Text })
const ApprovalData = Type.Object({
  uid: Uid,
  status: OneOf(['pending', 'approved', 'denied', 'expired', 'used']),
  action: Text,
  summary: Text,
  game_uid: Uid,
  game_name: Text,
  confirm_url: Text,
  created_at: Timestamp,
  decided_at: Nullable(Timestamp),
  expires_at: Timestamp,
})

/** One of theirs; a key bound to one project sees those of that one. */
async function find(sql: Sql, who: Identity, uid: string): Promise<ApprovalRow> {
  const found = isUuid(uid) ? await findApproval(sql, who.user_uid, uid) : undefined
  return found && (!who.game_uid || who.game_uid === found.game_uid) ? found : refuse('NOT_FOUND')
}

export const listApprovalsRoute = route({
  method: 'GET',
  url,
  summary: 'What agents asked you to approve, newest first',
  auth: website,
  data: Type.Object({ approvals: Type.Array(ApprovalData) }),
  async handle({ core, sql, who }) {
    const rows = await listApprovals(sql, who.user_uid, MOST_LISTED)
    return { approvals: rows.map((row) => shownApproval(core, row)) }
  },
})

export const readApprovalRoute = route({
  method: 'GET',
  url: `${url}/:uid`,
  summary: 'One approval and what became of it',
  auth: anyAgent,
  params,
  data: ApprovalData,
  errors: ['NOT_FOUND'],
  handle: async ({ core, sql, who, params }) =>
    shownApproval(core, await find(sql, who, params.uid)),
})

const decision = (verb: 'approve' | 'deny', status: 'approved' | 'denied', summary: string) =>
  route({
    method: 'POST',
    url: `${url}/:uid/${verb}`,
    summary,
    auth: website,
    params,
    data: ApprovalData,
    errors: ['NOT_FOUND', 'APPROVAL_CLOSED'],
    async handle({ core, sql, who, params }) {
      await find(sql, who, params.uid)
      const row = await decide(sql, who.user_uid, params.uid, status, APPROVAL_SECONDS)
      return shownApproval(core, row ?? refuse('APPROVAL_CLOSED'))
    },
  })

export const approveRoute = decision(
  'approve',
  'approved',
  'Allow what an agent asked for; it then repeats its call',
)
export const denyRoute = decision('deny', 'denied', 'Refuse what an agent asked for')

export const confirmApprovalRoute = route({
  method: 'POST',
  url: `${url}/:uid/confirm`,
  summary: 'Allow it with the six-digit code of the mail',
  auth: anyAgent,
  limits: [
    perAccount(10, { seconds: HOUR, bucket: 'approval codes an hour' }),
    perAccount(30, { seconds: DAY, bucket: 'approval codes a day' }),
  ],
  params,
  body: Body({ code: Type.String({ pattern: '^\\s*\\d{6}\\s*$' }) }),
  data: ApprovalData,
  errors: ['NOT_FOUND', 'APPROVAL_CLOSED', 'INVALID_EMAIL_CODE'],
  async handle({ core, sql, who, params, body }) {
    const { uid, status } = await find(sql, who, params.uid)
    if (status !== 'pending') refuse('APPROVAL_CLOSED')
    const right = sameBytes(digitsFrom(core.secrets.mac('approval code', uid)), body.code.trim())
    if (!(await takeApprovalTry(sql, who.user_uid, uid, APPROVAL_TRIES)) || !right)
      refuse('INVALID_EMAIL_CODE')
    return shownApproval(
      core,
      (await decide(sql, who.user_uid, uid, 'approved', APPROVAL_SECONDS)) ??
        refuse('APPROVAL_CLOSED'),
    )
  },
})
