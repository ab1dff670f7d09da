import type { Core } from '../../core/runtime/core.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { isUuid, sameBytes, uuidTime, uuidv7 } from '../../core/security/crypto.ts'
import type { User } from '../people/queries.ts'

/** How long the second step of a sign-in may take. */
export const TICKET_SECONDS = 10 * MINUTE

/** The password is part of what is signed, so a new one ends the ticket. */
const signature = ({ secrets }: Core, user: User, nonce: string) =>
  secrets.mac('sign-in ticket', `${user.user_uid} ${nonce} ${user.password_hash}`).toString('hex')

/** Proves that the first step was taken. It is stored nowhere. */
export function issueTicket(core: Core, user: User): string {
  const nonce = uuidv7()
  return `${user.user_uid}.${nonce}.${signature(core, user, nonce)}`
}

export const ticketOwner = (ticket: string): string | undefined => {
  const [user_uid = ''] = ticket.split('.')
  return isUuid(user_uid) ? user_uid : undefined
}

export function isValidTicket(core: Core, user: User, ticket: string, now: Date): boolean {
  const [, nonce = '', received = ''] = ticket.split('.')
  if (!isUuid(nonce) || !sameBytes(signature(core, user, nonce), received)) return false
  const age_ms = now.getTime() - uuidTime(nonce)
  return age_ms < TICKET_SECONDS * 1000
}
