import { refuse } from '../../core/runtime/errors.ts'

const LOWEST = 76561197960265729n
const HIGHEST = 76561202255233023n

/** A 64-bit account of a person, as text: numbers that large are not safe as numbers. */
export function isAccountId(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    /^\d{17}$/.test(text) &&
    BigInt(text) >= LOWEST &&
    BigInt(text) <= HIGHEST
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
    'web_api_key must be 32 characters, 0-9 and A-F',
  )
}

const MOST_TICKET = 8192

export function checkTicket(ticket: string): string {
  if (ticket.length > MOST_TICKET)
    refuse('TICKET_MALFORMED', undefined, `The ticket is longer than ${MOST_TICKET} characters`)
  return ticket.length % 2 === 0 && /^[0-9a-f]+$/i.test(ticket)
    ? ticket.toLowerCase()
    : refuse('TICKET_MALFORMED')
}

/** The part of a ticket that makes it this ticket: what follows it is padding, which anyone could vary. */
export function ticketCore(ticket: string): string {
  return ticket.startsWith('14000000') && ticket.length >= 48 ? ticket.slice(8, 48) : ticket
}

export const AUTH_KEY_LENGTH = 128
export const TICKET_KEY_BYTES = 16
export const TICKET_KEY_PREFIX = 'svc_'

export type Owned = { owner_extstore_id: string }

/** Whose copy is played, when it is somebody else's. What is asked afresh outweighs what the ticket said. */
export function lender(extstore_id: string, owners: string[]): string | undefined {
  return owners.find((owner) => owner !== extstore_id)
}
