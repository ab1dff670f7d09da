import type { FastifyRequest } from 'fastify'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { HOUR, MINUTE } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { lockUser } from '../people/queries.ts'
import type { Identity } from '../sessions/identity.ts'
import {
  type ApprovalRow,
  type ApprovalStatus,
  countRecentApprovals,
  findByKey,
  findOpen,
  insertApproval,
  markApprovalUsed,
} from './queries.ts'

/** How long a person has to decide, and how long an approval is then valid. */
export const APPROVAL_SECONDS = 30 * MINUTE
export const MAX_APPROVAL_ATTEMPTS = 5
/** Per account: every request sends a mail, and creates a code that could be guessed. */
const MAX_REQUESTS_PER_HOUR = 20
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/
/** Prefix of the keys that the service generates itself. */
const GENERATED_KEY = 'auto:'

/** An action that needs approval. `subject` identifies it exactly, by what the caller sent. */
export type ApprovalRequest = {
  /** Null for what concerns the whole store. */
  game_uid: string | null
  action: string
  subject: Record<string, string | number | null>
  /** Describes the action to the person who approves; refuses what could not be done anyway. */
  describe: () => Promise<string>
}

/**
 * Agents perform some actions only with a person's approval. Returns the uid of a given approval,
 * to be consumed in the transaction of the action. Otherwise it refuses; the first time with 4214,
 * after a mail was sent. People on the website need no approval.
 */
export async function requireApproval(
  core: Core,
  who: Identity,
  request: Pick<FastifyRequest, 'headers'>,
  requested: ApprovalRequest,
): Promise<string | undefined> {
  if (who.kind !== 'agent') return undefined
  const idempotency_key = readIdempotencyKey(request)
  const { game_uid, action } = requested
  const subject = JSON.stringify({ game_uid, ...requested.subject })
  // A repeated call learns first that its approval is over: what it did, such as deleting a build,
  // may be why it could not be done again.
  if (idempotency_key) {
    const earlier = await findByKey(core.sql, who.user_uid, idempotency_key)
    if (earlier?.action === action && earlier.subject === subject) refuseClosed(earlier)
  }
  const summary = await requested.describe()
  const approval = await findOrRequest(
    core,
    who,
    { game_uid, action, subject, summary },
    idempotency_key,
  )
  refuseClosed(approval)
  if (approval.status === 'approved') return approval.uid
  refuse('APPROVAL_REQUIRED', {
    approval_required: true,
    email_sent: who.email_verified,
    approval: approvalData(core, approval),
  })
}

/** The errors of a route that requires approval. */
export const approvalErrors = [
  'APPROVAL_REQUIRED',
  'APPROVAL_DENIED',
  'APPROVAL_USED',
  'APPROVAL_CLOSED',
  'IDEMPOTENCY_KEY_REUSED',
  'TOO_MANY_REQUESTS',
] as const satisfies ErrorName[]

const refusals = {
  denied: 'APPROVAL_DENIED',
  used: 'APPROVAL_USED',
  expired: 'APPROVAL_CLOSED',
  pending: null,
  approved: null,
} as const

function refuseClosed({ status }: ApprovalRow): void {
  const refusal = refusals[status]
  if (refusal) refuse(refusal)
}

function readIdempotencyKey({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key) || key.startsWith(GENERATED_KEY))
    refuse('MALFORMED', undefined, 'Idempotency-Key: 1 to 200 visible characters')
  return key
}

type DescribedAction = Pick<ApprovalRow, 'game_uid' | 'action' | 'subject' | 'summary'>

async function findOrRequest(
  core: Core,
  { user_uid, credential_uid }: Identity,
  { game_uid, action, subject, summary }: DescribedAction,
  idempotency_key: string | undefined,
): Promise<ApprovalRow> {
  return transact(core.sql, async (tx) => {
    // Requests of one account are serialized: one action makes one approval and one mail.
    await lockUser(tx, user_uid)
    const keyed = idempotency_key && (await findByKey(tx, user_uid, idempotency_key))
    if (keyed && (keyed.action !== action || keyed.subject !== subject))
      refuse('IDEMPOTENCY_KEY_REUSED')
    // A different key does not make it a different action: an open approval is reused.
    const existing = keyed || (await findOpen(tx, { user_uid, credential_uid, action, subject }))
    if (existing) return existing
    await enforceRequestLimit(tx, user_uid)
    const uid = uuidv7()
    const approval = await insertApproval(tx, {
      uid,
      user_uid,
      credential_uid,
      game_uid,
      action,
      subject,
      summary,
      expires_at: new Date(Date.now() + APPROVAL_SECONDS * 1000),
      idempotency_key: idempotency_key ?? `${GENERATED_KEY}${uid}`,
    })
    await core.jobs.send(tx, 'accounts.mail-approval', { uid })
    return approval
  })
}

async function enforceRequestLimit(tx: Tx, user_uid: string): Promise<void> {
  const { count, wait } = await countRecentApprovals(tx, user_uid, HOUR)
  if (count < MAX_REQUESTS_PER_HOUR) return
  const message = 'Too many approval requests; wait until the earlier ones are decided'
  refuse('TOO_MANY_REQUESTS', { retry_after: wait }, message, { 'retry-after': String(wait) })
}

/** Call it in the transaction of the action. */
export async function consumeApproval(tx: Sql | Tx, approval: string | undefined): Promise<void> {
  if (approval && !(await markApprovalUsed(tx, approval))) refuse('APPROVAL_USED')
}

export const approvalUrl = ({ addresses }: Core, uid: string) =>
  `${addresses.web_url}/approve/${uid}`

export const approvalData = (core: Core, row: ApprovalRow) => ({
  uid: row.uid,
  status: row.status as ApprovalStatus,
  action: row.action,
  summary: row.summary,
  game_uid: row.game_uid,
  game_name: row.game_name ?? core.settings.current.store_name,
  confirm_url: approvalUrl(core, row.uid),
  created_at: row.created_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
})
