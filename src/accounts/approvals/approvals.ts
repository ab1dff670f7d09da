import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { HOUR } from '../../core/security/limits.ts'
import type { Identity } from '../sessions/identity.ts'
import {
  type ApprovalRow,
  type ApprovalStatus,
  askedLately,
  findByKey,
  findOpen,
  insertApproval,
  lockAsker,
  useApproval,
} from './queries.ts'

/** How long a person has to decide, and then the agent to act on it. */
export const APPROVAL_SECONDS = 30 * 60
export const APPROVAL_TRIES = 5
export const APPROVAL_DAYS = 90
/** How often the agents of one account may ask: each time is a mail, and a code that could be guessed. */
export const APPROVALS_AN_HOUR = 20
const KEY = /^[\x21-\x7e]{1,200}$/

/** What an agent wants to do: `subject` names it exactly, `summary` tells a person. */
export type Deed = {
  game_uid: string
  action: string
  subject: Record<string, string | number | null>
  summary: string
}

/**
 * What agents do only with a person's consent. Answers the approval that was given, to be used in the transaction of the deed, or refuses:
 * at first with 4214, having sent the mail. On the website nobody is asked.
 */
export async function approvalFor(
  core: Core,
  who: Identity,
  request: FastifyRequest,
  deed: Deed,
): Promise<string | undefined> {
  if (who.kind !== 'agent') return undefined
  const sent = request.headers['idempotency-key']
  if (
    sent !== undefined &&
    (typeof sent !== 'string' || !KEY.test(sent) || sent.startsWith('auto:'))
  )
    refuse('MALFORMED', undefined, 'Idempotency-Key: 1 to 200 visible characters')
  const approval = await ask(core, who, deed, sent)
  const end = ends[approval.status]
  if (end) refuse(end)
  if (approval.status === 'approved') return approval.uid
  refuse('APPROVAL_REQUIRED', {
    approval_required: true,
    email_sent: who.email_verified,
    approval: shownApproval(core, approval),
  })
}

/** What a route that asks for approval refuses with. */
export const approvalErrors = [
  'APPROVAL_REQUIRED',
  'APPROVAL_DENIED',
  'APPROVAL_USED',
  'APPROVAL_CLOSED',
  'IDEMPOTENCY_KEY_REUSED',
  'TOO_MANY_REQUESTS',
] as const satisfies ErrorName[]

const ends = {
  denied: 'APPROVAL_DENIED',
  used: 'APPROVAL_USED',
  expired: 'APPROVAL_CLOSED',
  pending: null,
  approved: null,
} as const

async function ask(
  core: Core,
  who: Identity,
  { game_uid, action, summary, ...deed }: Deed,
  key: string | undefined,
): Promise<ApprovalRow> {
  const { user_uid, credential_uid } = who
  const subject = JSON.stringify({ game_uid, ...deed.subject })
  return transact(core.sql, async (tx) => {
    await lockAsker(tx, user_uid)
    const named = key && (await findByKey(tx, user_uid, key))
    if (named && (named.action !== action || named.subject !== subject))
      refuse('IDEMPOTENCY_KEY_REUSED')
    // Another key does not make it another deed: as long as one is open, nobody is asked twice.
    const known = named || (await findOpen(tx, { user_uid, credential_uid, action, subject }))
    if (known) return known
    await holdToRate(tx, user_uid)
    const uid = uuidv7()
    const expires_at = new Date(Date.now() + APPROVAL_SECONDS * 1000)
    const made = {
      uid,
      user_uid,
      credential_uid,
      game_uid,
      action,
      subject,
      summary,
      expires_at,
      idempotency_key: key ?? `auto:${uid}`,
    }
    const row = await insertApproval(tx, made)
    await core.jobs.send(tx, 'accounts.mail-approval', { uid })
    return row
  })
}

async function holdToRate(tx: Tx, user_uid: string): Promise<void> {
  const { count, wait } = await askedLately(tx, user_uid, HOUR)
  if (count < APPROVALS_AN_HOUR) return
  const why = 'Too many approvals were asked for; let people decide about those first'
  refuse('TOO_MANY_REQUESTS', { retry_after: wait }, why, { 'retry-after': String(wait) })
}

/** In the transaction of the deed. */
export async function spendApproval(tx: Tx, approval: string | undefined): Promise<void> {
  if (approval && !(await useApproval(tx, approval))) refuse('APPROVAL_USED')
}

export const approvalUrl = ({ addresses }: Core, uid: string) =>
  `${addresses.web_url}/approve/${uid}`

export const shownApproval = (core: Core, row: ApprovalRow) => ({
  uid: row.uid,
  status: row.status as ApprovalStatus,
  action: row.action,
  summary: row.summary,
  game_uid: row.game_uid,
  game_name: row.game_name,
  confirm_url: approvalUrl(core, row.uid),
  created_at: row.created_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
})
