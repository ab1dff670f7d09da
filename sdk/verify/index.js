import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

// Verifies the session tokens of players: a local check, then a request to the service. One file
// without dependencies, for Node 18 or newer.

const MAX_LEEWAY_SECONDS = 60
const MAX_TOKEN_LENGTH = 4096
const SIGNATURE_LENGTH = 86
const DEFAULT_HEADER = Buffer.from('{"alg":"HS512","typ":"JWT"}').toString('base64url')

export class Unavailable extends Error {}

const invalid = (reason) => ({ valid: false, reason })

export function createVerifier(options) {
  const { auth_key, game_uid, app_id, issuer, verify_url } = options
  const { leeway_seconds = 30, timeout_ms = 5000 } = options
  if (!/^\S{128}$/.test(auth_key ?? ''))
    throw new TypeError('auth_key must be the 128 characters from the sign-in settings')
  if (!game_uid || !app_id) throw new TypeError('game_uid and app_id are required')
  if (!(leeway_seconds >= 0 && leeway_seconds <= MAX_LEEWAY_SECONDS))
    throw new TypeError(`leeway_seconds must be 0 to ${MAX_LEEWAY_SECONDS}`)
  const key = createSecretKey(auth_key, 'utf8')
  const audience = `extstore:${app_id}`

  function check(token, now = Date.now()) {
    if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH) return invalid('malformed')
    const header_end = token.indexOf('.')
    const payload_end = token.lastIndexOf('.')
    if (header_end < 1 || payload_end === header_end) return invalid('malformed')
    const signature = token.slice(payload_end + 1)
    if (signature.length !== SIGNATURE_LENGTH) return invalid('malformed')
    // Never trust the algorithm that the token names: only HS512 is accepted.
    if (!isHs512(token.slice(0, header_end))) return invalid('algorithm')
    const signed = token.slice(0, payload_end)
    const expected = createHmac('sha512', key).update(signed).digest('base64url')
    // Compare the text, because several texts decode to the same bytes.
    if (!timingSafeEqual(Buffer.from(signature, 'latin1'), Buffer.from(expected, 'latin1')))
      return invalid('signature')
    const claims = parse(token.slice(header_end + 1, payload_end))
    if (!claims || typeof claims.exp !== 'number' || typeof claims.iat !== 'number')
      return invalid('malformed')
    if (claims.gid !== game_uid || claims.aud !== audience || claims.own !== true)
      return invalid('game')
    if (issuer !== undefined && claims.iss !== issuer) return invalid('issuer')
    if (now >= (claims.exp + leeway_seconds) * 1000) return invalid('expired')
    if (now < (claims.iat - leeway_seconds) * 1000) return invalid('not yet')
    return { valid: true, claims }
  }

  async function verify(token, { recheck_ownership = false } = {}) {
    if (!verify_url) throw new TypeError('verify_url is required for the remote check')
    const local = check(token)
    if (!local.valid) return local
    const request = { token, recheck_ownership }
    const { status, body } = await post(verify_url, auth_key, request, timeout_ms)
    if (status === 422) return invalid('game')
    if (status !== 200 || typeof body?.data?.valid !== 'boolean')
      throw new Unavailable(`The service answered ${status} (${body?.error?.code ?? 'no code'})`)
    const { valid, expired, revoked, claims, svc_user, ownership } = body.data
    if (!valid) return invalid(revoked ? 'revoked' : expired ? 'expired' : 'refused')
    return { valid, claims, ...(svc_user && { svc_user }), ...(ownership && { ownership }) }
  }

  return { check, verify }
}

function isHs512(header) {
  if (header === DEFAULT_HEADER) return true
  const fields = parse(header)
  return fields?.alg === 'HS512' && fields.crit === undefined
}

function parse(part) {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

async function post(url, auth_key, body, timeout_ms) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${auth_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(timeout_ms),
    })
    return { status: response.status, body: await response.json() }
  } catch (error) {
    throw new Unavailable(`The service could not be reached (${error.name})`)
  }
}
