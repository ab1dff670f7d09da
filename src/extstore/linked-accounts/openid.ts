import { MINUTE_MS } from '../../core/runtime/units.ts'
import { isAccountId } from '../sign-in/ticket-rules.ts'

/**
 * OpenID 2.0, as far as linking an account needs it: without associations, so the provider confirms
 * every assertion.
 */

const NS = 'http://specs.openid.net/auth/2.0'
const SELECT = `${NS}/identifier_select`
/** Fields that must be covered by the signature of an assertion. */
const MUST_BE_SIGNED = [
  'op_endpoint',
  'claimed_id',
  'identity',
  'return_to',
  'response_nonce',
  'assoc_handle',
]
export const NONCE_MINUTES = 10
const MAX_FIELD_LENGTH = 2048

/** The URL to which the browser is redirected. */
export function requestUrl(provider: string, return_to: string): string {
  const query = {
    'openid.ns': NS,
    'openid.mode': 'checkid_setup',
    'openid.return_to': return_to,
    'openid.realm': new URL(return_to).origin,
    'openid.identity': SELECT,
    'openid.claimed_id': SELECT,
  }
  return `${provider}/login?${new URLSearchParams(query)}`
}

export type Assertion = {
  extstore_id: string
  nonce: string
  /** The request by which the provider confirms the assertion. */
  form: URLSearchParams
}
type Callback = { provider: string; return_to: string; query: Record<string, unknown>; now: number }

/** Reads a well-formed assertion for our request. The provider must still confirm it. */
export function readAssertion({
  provider,
  return_to,
  query,
  now,
}: Callback): Assertion | undefined {
  const entries = Object.entries(query).filter(([name]) => name.startsWith('openid.'))
  if (!entries.every(isTextField)) return undefined
  const fields = new Map(entries)
  const signed = (fields.get('openid.signed') ?? '').split(',')
  const claimed_id = fields.get('openid.claimed_id') ?? ''
  const id_prefix = `${provider}/id/`
  const extstore_id = claimed_id.startsWith(id_prefix) ? claimed_id.slice(id_prefix.length) : ''
  const nonce = fields.get('openid.response_nonce') ?? ''
  const is_valid =
    fields.get('openid.ns') === NS &&
    fields.get('openid.mode') === 'id_res' &&
    fields.get('openid.op_endpoint') === `${provider}/login` &&
    fields.get('openid.identity') === claimed_id &&
    fields.get('openid.return_to') === return_to &&
    MUST_BE_SIGNED.every((name) => signed.includes(name)) &&
    isFresh(nonce, now)
  if (!is_valid || !isAccountId(extstore_id)) return undefined
  const form = new URLSearchParams([...fields])
  form.set('openid.mode', 'check_authentication')
  return { extstore_id, nonce, form }
}

const isTextField = (field: [string, unknown]): field is [string, string] =>
  typeof field[1] === 'string' && field[1].length <= MAX_FIELD_LENGTH

/** A nonce starts with the time at which it was created. */
function isFresh(nonce: string, now: number): boolean {
  const created = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[\x21-\x7e]{0,235}$/.exec(nonce)?.[1]
  return created !== undefined && Math.abs(now - Date.parse(created)) <= NONCE_MINUTES * MINUTE_MS
}
