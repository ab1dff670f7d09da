import { isAccountId } from '../sign-in/ticket-rules.ts'

/** OpenID 2.0, as far as linking an account needs it: no association, the provider is asked about every assertion. */

const NS = 'http://specs.openid.net/auth/2.0'
const SELECT = `${NS}/identifier_select`
/** What an assertion must have signed, or it says nothing about who came back here. */
const MUST_BE_SIGNED = [
  'op_endpoint',
  'claimed_id',
  'identity',
  'return_to',
  'response_nonce',
  'assoc_handle',
]
export const NONCE_MINUTES = 10
const MOST_FIELD = 2048

/** Where to send the browser. */
export function requestUrl(provider: string, return_to: string): string {
  const asked = {
    'openid.ns': NS,
    'openid.mode': 'checkid_setup',
    'openid.return_to': return_to,
    'openid.realm': new URL(return_to).origin,
    'openid.identity': SELECT,
    'openid.claimed_id': SELECT,
  }
  return `${provider}/login?${new URLSearchParams(asked)}`
}

export type Assertion = { extstore_id: string; nonce: string; form: URLSearchParams }

/** What a browser brought back, if it can be an answer to our question at all. Whether it is true only the provider knows. */
export function readAssertion(
  provider: string,
  return_to: string,
  query: Record<string, unknown>,
  now: number,
): Assertion | undefined {
  const fields = Object.entries(query).filter(([name]) => name.startsWith('openid.'))
  if (
    !fields.every(
      (field): field is [string, string] =>
        typeof field[1] === 'string' && field[1].length <= MOST_FIELD,
    )
  )
    return undefined
  const given = new Map(fields)
  const signed = (given.get('openid.signed') ?? '').split(',')
  const claimed = given.get('openid.claimed_id') ?? ''
  const extstore_id = claimed.startsWith(`${provider}/id/`)
    ? claimed.slice(`${provider}/id/`.length)
    : ''
  const nonce = given.get('openid.response_nonce') ?? ''
  const right =
    given.get('openid.ns') === NS &&
    given.get('openid.mode') === 'id_res' &&
    given.get('openid.op_endpoint') === `${provider}/login` &&
    given.get('openid.identity') === claimed &&
    given.get('openid.return_to') === return_to &&
    MUST_BE_SIGNED.every((name) => signed.includes(name)) &&
    isFresh(nonce, now)
  if (!right || !isAccountId(extstore_id)) return undefined
  // The question to the provider is the assertion with another mode.
  const form = new URLSearchParams([...given])
  form.set('openid.mode', 'check_authentication')
  return { extstore_id, nonce, form }
}

/** A nonce begins with the moment it was made. */
function isFresh(nonce: string, now: number): boolean {
  const made = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[\x21-\x7e]{0,235}$/.exec(nonce)?.[1]
  return made !== undefined && Math.abs(now - Date.parse(made)) <= NONCE_MINUTES * 60_000
}
