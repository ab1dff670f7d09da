import { VERSION } from '../defaults.ts'
import { ApiError, exits, Failure, UsageError } from '../errors.ts'
import { isObject, urlEncoded } from '../http/api.ts'
import { createHttp, type Http } from '../http/request.ts'
import { withRetries } from '../http/retry.ts'
import { t } from '../messages.ts'
import { isLoopback, type StoreSettings } from '../settings.ts'
import type { Ui } from '../terminal/ui.ts'

/** The client that is part of every store; it has no secret. */
const CLIENT_ID = 'slipway'
const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export type Endpoints = {
  device_authorization_endpoint: string
  token_endpoint: string
  revocation_endpoint: string
}
export type DeviceCodes = {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}
export type Tokens = { access_token: string; refresh_token: string; expires_in: number }
/** The tokens, or why there are none; a proxy that refuses gives no reason (''). */
type TokenAnswer = { tokens: Tokens } | { error: string; status: number }

type Fields = Record<string, unknown>

/** The authorization server of a store. */
export type AuthorizationServer = {
  endpoints: () => Promise<Endpoints>
  requestCodes: (endpoint: string, device_name: string) => Promise<DeviceCodes>
  /** Asks for the tokens of a device. */
  poll: (endpoint: string, device_code: string) => Promise<TokenAnswer>
  renew: (endpoint: string, refresh_token: string) => Promise<TokenAnswer>
  revoke: (endpoint: string, refresh_token: string) => Promise<void>
  close: () => void
}

export function createAuthorizationServer(
  settings: StoreSettings,
  ui: Ui,
  signal: AbortSignal,
): AuthorizationServer {
  const http = createHttp(settings, signal)
  const retry = <T>(run: () => Promise<T>) => withRetries({ settings, ui, signal }, run)
  const post = (url: string, fields: Record<string, string>) =>
    retry(() => send(http, 'POST', checkEndpoint(url), { client_id: CLIENT_ID, ...fields }))
  const tokens = async (url: string, fields: Record<string, string>): Promise<TokenAnswer> => {
    const { status, body } = await post(url, fields)
    if (status !== 200) return { error: text(body.error), status }
    const { access_token, refresh_token, expires_in } = body
    if (!text(access_token) || !text(refresh_token)) throw badAnswer(status)
    for (const secret of [access_token, refresh_token]) ui.hide(text(secret))
    return {
      tokens: {
        access_token: text(access_token),
        refresh_token: text(refresh_token),
        expires_in: Number(expires_in) || 0,
      },
    }
  }
  return {
    async endpoints() {
      const url = new URL('/.well-known/oauth-authorization-server', settings.api_url).href
      const { status, body } = await retry(() => send(http, 'GET', url))
      const { device_authorization_endpoint, token_endpoint, revocation_endpoint } = body
      if (status !== 200 || !text(device_authorization_endpoint))
        throw new UsageError(t('login-not-offered'), t('login-not-offered-hint'))
      return {
        device_authorization_endpoint: checkEndpoint(text(device_authorization_endpoint)),
        token_endpoint: checkEndpoint(text(token_endpoint)),
        revocation_endpoint: checkEndpoint(text(revocation_endpoint)),
      }
    },
    async requestCodes(endpoint, device_name) {
      const { status, body } = await post(endpoint, { scope: 'player:read', device_name })
      const { device_code, user_code, verification_uri, verification_uri_complete } = body
      if (status !== 200 || !text(device_code) || !text(user_code)) throw badAnswer(status)
      ui.hide(text(device_code))
      return {
        device_code: text(device_code),
        user_code: text(user_code),
        verification_uri: text(verification_uri),
        verification_uri_complete: text(verification_uri_complete) || text(verification_uri),
        expires_in: Number(body.expires_in) || 0,
        interval: Number(body.interval) || DEFAULT_INTERVAL,
      }
    },
    poll: (endpoint, device_code) =>
      tokens(endpoint, { grant_type: DEVICE_CODE_GRANT, device_code }),
    renew: (endpoint, refresh_token) =>
      tokens(endpoint, { grant_type: 'refresh_token', refresh_token }),
    async revoke(endpoint, refresh_token) {
      const { status } = await post(endpoint, {
        token: refresh_token,
        token_type_hint: 'refresh_token',
      })
      if (status !== 200) throw badAnswer(status)
    },
    close: http.close,
  }
}

/** As RFC 8628 has it, for servers that name none. */
const DEFAULT_INTERVAL = 5

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const badAnswer = (status: number) =>
  new Failure(exits.refused, t('login-bad-answer', { status: String(status) }))

/** The address of an endpoint gets secrets: https, or http on this machine. */
function checkEndpoint(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const is_safe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!is_safe)
    throw new UsageError(
      t('settings-unencrypted', { name: 'OAuth', address }),
      t('settings-unencrypted-hint'),
    )
  return address
}

async function send(
  http: Http,
  method: string,
  url: string,
  fields?: Record<string, string>,
): Promise<{ status: number; body: Fields }> {
  const headers = { accept: 'application/json', 'user-agent': `slipway/${VERSION}` }
  const answer = await http.send({
    method,
    url,
    headers,
    ...(fields && { body: urlEncoded(fields) }),
  })
  const { status } = answer
  if (status === 429 || status >= 500) {
    const retry_after = Number(answer.headers['retry-after'])
    throw new ApiError({
      status,
      message: t('login-bad-answer', { status: String(status) }),
      ...(retry_after > 0 && { retry_after }),
    })
  }
  return { status, body: parse(answer.body.toString('utf8')) }
}

function parse(body: string): Fields {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
