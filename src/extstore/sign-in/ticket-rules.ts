import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'

const MIN_ACCOUNT_ID = 76561197960265729n
const MAX_ACCOUNT_ID = 76561202255233023n

/** The 64-bit id of a personal account. It is text, because it exceeds safe integers. */
export function isAccountId(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    /^\d{17}$/.test(text) &&
    BigInt(text) >= MIN_ACCOUNT_ID &&
    BigInt(text) <= MAX_ACCOUNT_ID
  )
}

export function checkAccountId(value: unknown): string {
  return isAccountId(value)
    ? value
    : refuse(
        'INVALID_EXTSTORE_REQUEST',
        { field: 'extstore_id' },
        'extstore_id must be a 64-bit account ID',
      )
}

export function checkWebApiKey(value: string): string {
  const key = value.trim()
  if (/^[0-9A-F]{32}$/.test(key)) return key
  return refuse(
    'INVALID_EXTSTORE_REQUEST',
    { field: 'web_api_key' },
    explain('publisher_key', 'web_api_key must be 32 characters, 0-9 and A-F'),
  )
}

const MAX_TICKET_LENGTH = 8192

export function checkTicket(ticket: string): string {
  if (ticket.length > MAX_TICKET_LENGTH)
    refuse('TICKET_MALFORMED', undefined, `The ticket exceeds ${MAX_TICKET_LENGTH} characters`)
  return ticket.length % 2 === 0 && /^[0-9a-f]+$/i.test(ticket)
    ? ticket.toLowerCase()
    : refuse('TICKET_MALFORMED')
}

/** The part of a ticket that identifies it. The rest can be varied without invalidating it. */
export function ticketId(ticket: string): string {
  return ticket.startsWith('14000000') && ticket.length >= 48 ? ticket.slice(8, 48) : ticket
}

export const AUTH_KEY_LENGTH = 128
export const TICKET_KEY_BYTES = 16
export const TICKET_KEY_PREFIX = 'svc_'

/** The other account whose copy is played, if any. Owners are in order of precedence. */
export function lenderOf(extstore_id: string, owners: string[]): string | undefined {
  return owners.find((owner) => owner !== extstore_id)
}
