import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { World } from './extstore-world.ts'

/**
 * The store as an OpenID 2.0 provider without associations: every assertion is verified by a
 * request, and is valid once.
 */

const NS = 'http://specs.openid.net/auth/2.0'
const SIGNED = [
  'signed',
  'op_endpoint',
  'claimed_id',
  'identity',
  'return_to',
  'response_nonce',
  'assoc_handle',
]
const secret = randomBytes(32)

const sign = (fields: URLSearchParams) =>
  createHmac('sha1', secret)
    .update(SIGNED.map((name) => `${name}:${fields.get(`openid.${name}`)}\n`).join(''))
    .digest('base64')

/** The redirect URL after an account has been chosen. */
export function assertionUrl(
  world: World,
  provider: string,
  query: URLSearchParams,
  account: string,
): string {
  const return_to = query.get('openid.return_to') ?? ''
  const nonce = `${new Date().toISOString().slice(0, 19)}Z${randomBytes(12).toString('base64url')}`
  const fields = new URLSearchParams({
    'openid.ns': NS,
    'openid.mode': 'id_res',
    'openid.op_endpoint': `${provider}/login`,
    'openid.claimed_id': `${provider}/id/${account}`,
    'openid.identity': `${provider}/id/${account}`,
    'openid.return_to': return_to,
    'openid.response_nonce': nonce,
    'openid.assoc_handle': '1234567890',
    'openid.signed': SIGNED.join(','),
  })
  fields.set('openid.sig', sign(fields))
  world.assertions.set(nonce, account)
  const url = new URL(return_to)
  for (const [name, value] of fields) url.searchParams.append(name, value)
  return url.href
}

/** The response to check_authentication, in the key-value form of the protocol. */
export function checkAssertion(world: World, form: URLSearchParams): string {
  const signature = Buffer.from(form.get('openid.sig') ?? '', 'base64')
  const expected = Buffer.from(sign(form), 'base64')
  const is_ours = signature.length === expected.length && timingSafeEqual(signature, expected)
  const is_valid =
    is_ours &&
    form.get('openid.mode') === 'check_authentication' &&
    world.assertions.delete(form.get('openid.response_nonce') ?? '')
  return `ns:${NS}\nis_valid:${is_valid}\n`
}
