import type { Config } from '../../core/runtime/config.ts'
import { drillOutbound } from '../../core/runtime/drill.ts'
import { MIB } from '../../core/runtime/units.ts'
import {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
  OutboundError,
} from '../../core/security/outbound.ts'
import { isAccountId } from '../sign-in/ticket-rules.ts'
import type { FailureKind } from './circuit-breaker.ts'
import {
  type Fields,
  isRecord,
  nameTags,
  readStorePage,
  readTagNames,
  readTagWeights,
  type StorePage,
  type StoreTag,
} from './store-page.ts'

/** The adapter of the external store: only this file knows its API and its name. */

const API = 'https://partner.steam-api.com'
const OPENID = 'https://steamcommunity.com/openid'
const STORE = 'https://store.steampowered.com'
const PUBLIC_API = 'https://api.steampowered.com'
const IMAGE_HOSTS = ['.steamstatic.com']
const MAX_RESPONSE_BYTES = MIB
/** The key of a large publisher covers thousands of apps. */
const MAX_APP_LIST_BYTES = 16 * MIB
const MAX_PAGE_BYTES = 8 * MIB
/** The store identifies apps by unsigned 32-bit integers. */
const MAX_APP_ID = 2 ** 32 - 1
const MAX_TAGS = 20

/**
 * The store gave no reliable response. The message contains no key, ticket or URL beyond the
 * origin.
 */
export class StoreFailure extends Error {
  readonly kind: FailureKind
  readonly can_retry: boolean
  readonly retry_after_ms: number | undefined

  constructor(
    kind: FailureKind,
    message: string,
    { can_retry = false, retry_after_ms }: { can_retry?: boolean; retry_after_ms?: number } = {},
  ) {
    super(message)
    this.name = 'StoreFailure'
    this.kind = kind
    this.can_retry = can_retry
    this.retry_after_ms = retry_after_ms
  }
}

export type TicketRequest = { app_id: number; ticket: string; identity: string }
export type Ticket = {
  extstore_id: string
  owner_extstore_id: string
  vac: boolean
  publisher_banned: boolean
}
export type OwnershipRequest = { app_id: number; extstore_id: string }
export type Ownership = { owns_app: boolean; permanent: boolean; owner_extstore_id: string | null }
export type StoreApp = { app_id: number; app_type: string; app_name: string }

export type StoreApi = {
  /** Undefined if the store rejects the ticket. */
  authenticate(key: string, request: TicketRequest, timeout_ms: number): Promise<Ticket | undefined>
  ownership(key: string, request: OwnershipRequest, timeout_ms: number): Promise<Ownership>
  /** The apps that a key covers; undefined if the store rejects the key. */
  apps(key: string, timeout_ms: number): Promise<StoreApp[] | undefined>
  /** Whether the OpenID provider confirms an assertion that a browser brought. */
  confirm(form: URLSearchParams, timeout_ms: number): Promise<boolean>
  /** Undefined if there is no page. */
  page(app_id: number, timeout_ms: number): Promise<StorePage | undefined>
  tags(app_id: number, timeout_ms: number): Promise<StoreTag[]>
}

export const imageHosts = ({ extstore_image_hosts }: Config): string[] =>
  extstore_image_hosts ?? IMAGE_HOSTS

/** The public URL of an app's page, also if the store is reached by another URL. */
export const appUrl = (app_id: number) => `${STORE}/app/${app_id}/`

/** Reads an app id, given as a number or as a link to the page of the app. */
export function readAppId({ extstore_store_url }: Config, value: unknown): number | undefined {
  const text =
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const digits = /^\d{1,10}$/.test(text)
    ? text
    : appIdOfLink(text, [STORE, extstore_store_url ?? STORE])
  const app_id = Number(digits)
  return Number.isInteger(app_id) && app_id > 0 && app_id <= MAX_APP_ID ? app_id : undefined
}

function appIdOfLink(text: string, stores: string[]): string | undefined {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)
  const is_store =
    url &&
    ['http:', 'https:'].includes(url.protocol) &&
    stores.some((store) => new URL(store).host === url.host)
  return is_store ? /^\/(?:agecheck\/)?app\/(\d{1,10})(?:\/|$)/.exec(url.pathname)?.[1] : undefined
}

export const openidUrl = ({ extstore_openid_url }: Config) => extstore_openid_url ?? OPENID

export function createStoreApi(config: Config): StoreApi {
  const api = config.extstore_api_url ?? API
  const openid = openidUrl(config)
  const store = config.extstore_store_url ?? STORE
  const public_api = config.extstore_public_api_url ?? PUBLIC_API
  const outbound = config.drill
    ? drillOutbound
    : createOutbound({ trusted_origins: [api, openid, store, public_api], keep_alive: true })
  const getPublic = (url: string, timeout_ms: number) =>
    send(outbound, { url, timeout_ms, max_bytes: MAX_PAGE_BYTES }).then(parseJson)
  const getWithKey = (
    key: string,
    path: string,
    query: Record<string, string>,
    { timeout_ms, max_bytes = MAX_RESPONSE_BYTES }: { timeout_ms: number; max_bytes?: number },
  ) =>
    send(outbound, {
      url: `${api}/${path}/?${queryString(query)}`,
      headers: { 'x-webapi-key': key },
      timeout_ms,
      max_bytes,
    })
  return {
    async authenticate(key, { app_id, ticket, identity }, timeout_ms) {
      const response = await getWithKey(
        key,
        'ISteamUserAuth/AuthenticateUserTicket/v1',
        { appid: String(app_id), ticket, identity },
        { timeout_ms },
      )
      return readTicket(parseJson(response)) ?? (response.resent ? ticketMayBeSpent() : undefined)
    },
    async ownership(key, { app_id, extstore_id }, timeout_ms) {
      const response = await getWithKey(
        key,
        'ISteamUser/CheckAppOwnership/v4',
        { steamid: extstore_id, appid: String(app_id) },
        { timeout_ms },
      )
      return readOwnership(parseJson(response))
    },
    async apps(key, timeout_ms) {
      const response = await getWithKey(
        key,
        'ISteamApps/GetPartnerAppListForWebAPIKey/v2',
        {},
        { timeout_ms, max_bytes: MAX_APP_LIST_BYTES },
      ).catch(undefinedIfKeyRejected)
      return response && readApps(parseJson(response))
    },
    async confirm(form, timeout_ms) {
      const response = await send(outbound, {
        url: `${openid}/login`,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        timeout_ms,
        max_bytes: MAX_RESPONSE_BYTES,
      })
      return /^is_valid\s*:\s*true\s*$/m.test(response.body.toString())
    },
    async page(app_id, timeout_ms) {
      const url = `${store}/api/appdetails?appids=${app_id}&cc=us&l=english`
      return readPageResponse(await getPublic(url, timeout_ms), app_id)
    },
    async tags(app_id, timeout_ms) {
      const [items, names] = await Promise.all([
        getPublic(`${public_api}/${itemsPath(app_id)}`, timeout_ms),
        getPublic(`${public_api}/IStoreService/GetTagList/v1/?language=english`, timeout_ms),
      ])
      const weights = readTagWeights(items, app_id) ?? invalidResponse('has no tags')
      return nameTags(weights, readTagNames(names) ?? invalidResponse('has no names of tags'))
    },
  }
}

/** The path of the request for the tags of an app. */
function itemsPath(app_id: number): string {
  const input_json = JSON.stringify({
    ids: [{ appid: app_id }],
    context: { language: 'english', country_code: 'US' },
    data_request: { include_tag_count: MAX_TAGS },
  })
  return `IStoreBrowseService/GetItems/v1/?${queryString({ input_json })}`
}

/** Unlike URLSearchParams, encodes spaces as %20. */
const queryString = (query: Record<string, string>) =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

async function send(
  outbound: Outbound,
  request: Parameters<Outbound['request']>[0],
): Promise<OutboundAnswer> {
  const response = await outbound.request(request).catch((error) => {
    if (!(error instanceof OutboundError)) throw error
    const kind = error.kind === 'too_large' ? 'invalid_response' : 'unreachable'
    throw new StoreFailure(kind, error.message, { can_retry: error.kind === 'timeout' })
  })
  const { status } = response
  if (status === 200) return response
  const message = `The external store responded with status ${status}`
  if (status === 401 || status === 403) throw new StoreFailure('key_rejected', message)
  if (status === 429)
    throw new StoreFailure('rate_limited', message, { retry_after_ms: retryAfter(response) })
  const is_server_error = status >= 500
  throw new StoreFailure(is_server_error ? 'unreachable' : 'invalid_response', message, {
    can_retry: is_server_error,
  })
}

/**
 * A ticket works once. If the store rejects a ticket that was sent before, the first request may
 * have succeeded, so the result is unknown.
 */
export const ticketMayBeSpent = (): never => {
  throw new StoreFailure(
    'unreachable',
    'The external store rejected a ticket that had been sent to it before',
  )
}

const undefinedIfKeyRejected = (error: unknown) => {
  if (error instanceof StoreFailure && error.kind === 'key_rejected') return undefined
  throw error
}

function retryAfter({ headers }: OutboundAnswer): number | undefined {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined
}

const invalidResponse = (reason: string): never => {
  throw new StoreFailure('invalid_response', `The response of the external store ${reason}`)
}

function parseJson({ body }: OutboundAnswer): Fields {
  try {
    const value = JSON.parse(body.toString())
    if (isRecord(value)) return value
  } catch {
    // Handled below.
  }
  return invalidResponse('is not a JSON object')
}

const readObject = (fields: Fields, name: string): Fields => {
  const value = fields[name]
  return isRecord(value) ? value : invalidResponse(`lacks ${name}`)
}
const readFlag = (fields: Fields, name: string): boolean => {
  const value = fields[name]
  return typeof value === 'boolean' ? value : invalidResponse(`has no boolean in ${name}`)
}
const readAccount = (fields: Fields, name: string): string => {
  const value = fields[name]
  return isAccountId(value) ? value : invalidResponse(`has no account in ${name}`)
}

function readTicket(response: Fields): Ticket | undefined {
  const result = readObject(response, 'response')
  if (result.error !== undefined) return undefined
  const params = readObject(result, 'params')
  if (params.result !== 'OK') invalidResponse('is not OK')
  return {
    extstore_id: readAccount(params, 'steamid'),
    owner_extstore_id: readAccount(params, 'ownersteamid'),
    vac: readFlag(params, 'vacbanned'),
    publisher_banned: readFlag(params, 'publisherbanned'),
  }
}

function readOwnership(response: Fields): Ownership {
  const ownership = readObject(response, 'appownership')
  if (ownership.result !== 'OK') invalidResponse('is not OK')
  const owns_app = readFlag(ownership, 'ownsapp')
  return {
    owns_app,
    permanent: owns_app && readFlag(ownership, 'permanent'),
    owner_extstore_id: owns_app ? readAccount(ownership, 'ownersteamid') : null,
  }
}

/** For a key that covers no app, the list is missing or null. */
function readApps(response: Fields): StoreApp[] {
  const apps = readObject(readObject(response, 'applist'), 'apps').app ?? []
  if (!Array.isArray(apps)) return invalidResponse('has no list of apps')
  return apps.flatMap((app) => {
    if (!isRecord(app) || !Number.isSafeInteger(app.appid)) return []
    return {
      app_id: app.appid as number,
      app_type: String(app.app_type ?? ''),
      app_name: String(app.app_name ?? ''),
    }
  })
}

/** Undefined for an app without a page. The page of another app is an invalid response. */
function readPageResponse(response: Fields, app_id: number): StorePage | undefined {
  const { success, data } = readObject(response, String(app_id))
  if (success === false) return undefined
  if (success !== true || !isRecord(data)) return invalidResponse('has no page')
  if (typeof data.steam_appid === 'number' && data.steam_appid !== app_id)
    return invalidResponse('is about another app')
  return readStorePage(data)
}
