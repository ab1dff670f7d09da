import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { isToken, newToken, sha256, uuidv7 } from '../../core/security/crypto.ts'
import type { StoreSettings } from '../../core/settings/table.ts'
import { approvePublisher } from '../publishing/queries.ts'
import {
  findInvitation,
  type Invitation,
  type InvitationRow,
  insertInvitation,
  takeInvitation,
} from './queries.ts'

const PREFIX = 'svc_inv_'

export const invitationLimits = { note: 200, uses: 1000, days: 365 } as const

/** Why nobody can sign up with an invitation; null if they can. */
export type InvitationProblem = 'missing' | 'unknown' | 'used' | 'expired'

export function invitationProblem(
  invitation: Pick<Invitation, 'uses' | 'max_uses' | 'expires_at'> | undefined,
  now: Date,
): InvitationProblem | null {
  if (!invitation) return 'unknown'
  if (invitation.uses >= invitation.max_uses) return 'used'
  return invitation.expires_at <= now ? 'expired' : null
}

const explanations: Record<InvitationProblem, Explanation> = {
  missing: explain('invitation_missing', 'Send the invitation with which you sign up'),
  unknown: explain('invitation_unknown', 'There is no such invitation; check the link'),
  used: explain('invitation_used', 'This invitation was used up; ask for another'),
  expired: explain('invitation_expired', 'This invitation has expired; ask for another'),
}

export const refuseInvitation = (state: InvitationProblem): never =>
  refuse('INVITATION_REQUIRED', { field: 'invitation', state }, explanations[state])

export const hashInvitation = (token: string): Buffer | undefined =>
  isToken(PREFIX, token) ? sha256(token) : undefined

/** The state of the invitation of a link; null if people can sign up with it. */
export async function checkInvitation(sql: Sql, token: string): Promise<InvitationProblem | null> {
  const hash = hashInvitation(token)
  return invitationProblem(hash && (await findInvitation(sql, hash)), new Date())
}

/** Who may sign up: anyone, people with an invitation, or nobody. */
export async function checkRegistration(
  sql: Sql,
  { registration }: Pick<StoreSettings, 'registration'>,
  token: string | undefined,
): Promise<void> {
  if (registration === 'closed') refuse('REGISTRATION_CLOSED')
  if (!token) return registration === 'invitation' ? refuseInvitation('missing') : undefined
  const problem = await checkInvitation(sql, token)
  if (problem) refuseInvitation(problem)
}

/** Uses the invitation of a new account, in the transaction that makes the account. */
export async function acceptInvitation(tx: Tx, token: string, user_uid: string): Promise<void> {
  const hash = hashInvitation(token)!
  const invitation = await takeInvitation(tx, hash, user_uid)
  if (!invitation)
    refuseInvitation(invitationProblem(await findInvitation(tx, hash), new Date()) ?? 'used')
  else if (invitation.may_publish)
    await approvePublisher(tx, { user_uid, reason: '', decided_by: null })
}

type InvitationRequest = {
  note: string
  max_uses: number
  expires_in_days: number
  may_publish: boolean
}

export async function makeInvitation(
  { sql, addresses }: Core,
  created_by: string,
  { expires_in_days, ...request }: InvitationRequest,
): Promise<{ invitation: InvitationRow; url: string }> {
  const token = newToken(PREFIX)
  const expires_at = new Date()
  expires_at.setUTCDate(expires_at.getUTCDate() + expires_in_days)
  const invitation = await insertInvitation(sql, {
    ...request,
    uid: uuidv7(),
    token_hash: sha256(token),
    expires_at,
    created_by,
  })
  return { invitation, url: `${addresses.web_url}/signup?invitation=${token}` }
}
