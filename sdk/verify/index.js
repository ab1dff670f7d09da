import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

// Verifies the session tokens of players: a local check, then a request to the service. One file
// without dependencies, for Node 18 or newer.

const MOST_LEEWAY = 60
const MOST_TOKEN = 4096
const SIGNATURE_LENGTH = 86
const USUAL_HEADER = Buffer.from('{"alg":"HS512","typ":"JWT"}').toString('base64url')

export class Unavailable extends Error {}

const refused = (reason) => ({ valid: false, reason })

export function createVerifier({ auth_key, game_uid, app_id, issuer, verify_url, leeway_seconds = 30, timeout_ms = 5000 }) {
  if (!/^\S{128}$/.test(auth_key ?? '')) throw new TypeError('auth_key must be the 128 characters of the sign-in settings')
  if (!game_uid || !app_id) throw new TypeError('game_uid and app_id say whose tokens are yours')
  if (!(leeway_seconds >= 0 && leeway_seconds <= MOST_LEEWAY)) throw new TypeError(`leeway_seconds must be 0 to ${MOST_LEEWAY}`)
  const key = createSecretKey(auth_key, 'utf8')
  const audience = `extstore:${app_id}`

  function check(token, now = Date.now()) {
    if (typeof token !== 'string' || token.length > MOST_TOKEN) return refused('malformed')
    const middle = token.indexOf('.')
    const end = token.lastIndexOf('.')
    if (middle < 1 || end === middle || token.length - end - 1 !== SIGNATURE_LENGTH) return refused('malformed')
    // Never trust the algorithm that the token names: only HS512 is accepted.
    if (!namesHs512(token.slice(0, middle))) return refused('algorithm')
    const right = createHmac('sha512', key).update(token.slice(0, end)).digest('base64url')
    // Compare the text, because several texts decode to the same bytes.
    if (!timingSafeEqual(Buffer.from(token.slice(end + 1), 'latin1'), Buffer.from(right, 'latin1'))) return refused('signature')
    const claims = parse(token.slice(middle + 1, end))
    if (!claims || typeof claims.exp !== 'number' || typeof claims.iat !== 'number') return refused('malformed')
    if (claims.gid !== game_uid || claims.aud !== audience || claims.own !== true) return refused('game')
    if (issuer !== undefined && claims.iss !== issuer) return refused('issuer')
    if (now >= (claims.exp + leeway_seconds) * 1000) return refused('expired')
    if (now < (claims.iat - leeway_seconds) * 1000) return refused('not yet')
    return { valid: true, claims }
  }

  async function verify(token, { recheck_ownership = false } = {}) {
    if (!verify_url) throw new TypeError('verify_url is needed for the remote check')
    const local = check(token)
    if (!local.valid) return local
    const { status, body } = await ask(verify_url, auth_key, { token, recheck_ownership }, timeout_ms)
    if (status === 422) return refused('game')
    if (status !== 200 || typeof body?.data?.valid !== 'boolean') throw new Unavailable(`The service answered ${status} (${body?.error?.code ?? 'no code'})`)
    const { valid, expired, revoked, claims, svc_user, ownership } = body.data
    if (!valid) return refused(revoked ? 'revoked' : expired ? 'expired' : 'refused')
    return { valid, claims, ...(svc_user && { svc_user }), ...(ownership && { ownership }) }
  }

  return { check, verify }
}

function namesHs512(header) {
  if (header === USUAL_HEADER) return true
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

async function ask(url, auth_key, body, timeout_ms) {
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
    throw new Unavailable(`The service could not be asked (${error.name})`)
  }
}
