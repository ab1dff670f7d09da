import type { Config } from '../../core/runtime/config.ts'
import {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
  OutboundError,
} from '../../core/security/outbound.ts'
import { isAccountId } from '../sign-in/ticket-rules.ts'
import type { FailureKind } from './circuit-breaker.ts'
import {
  nameTags,
  readStorePage,
  readTagNames,
  readTagWeights,
  type StorePage,
  type StoreTag,
} from './store-page.ts'

/** The one place that speaks the external store's own language: everything that leaves here has our names. */

const API = 'https://partner.steam-api.com'
const OPENID = 'https://steamcommunity.com/openid'
const STORE = 'https://store.steampowered.com'
const PUBLIC_API = 'https://api.steampowered.com'
const IMAGE_HOSTS = ['.steamstatic.com']
const MOST_BYTES = 1024 * 1024
/** A key of a large publisher covers thousands of apps. */
const MOST_APPS_BYTES = 16 * 1024 * 1024
const MOST_PAGE_BYTES = 8 * 1024 * 1024
/** What the store counts its apps by. */
const MOST_APP_ID = 2 ** 32 - 1
const TAGS_ASKED = 20

/** The store gave no answer that can be relied on. The message holds no key, ticket or address beyond the origin. */
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

export type Ticket = {
  extstore_id: string
  owner_extstore_id: string
  vac: boolean
  publisher_banned: boolean
}
export type Ownership = { owns_app: boolean; permanent: boolean; owner_extstore_id: string | null }
export type StoreApp = { app_id: number; app_type: string; app_name: string }

export type Wire = {
  /** Nothing when the store refused the ticket. */
  authenticate(
    key: string,
    asked: { app_id: number; ticket: string; identity: string },
    timeout_ms: number,
  ): Promise<Ticket | undefined>
  ownership(
    key: string,
    asked: { app_id: number; extstore_id: string },
    timeout_ms: number,
  ): Promise<Ownership>
  /** The apps a key covers; a key that is none covers nothing. */
  apps(key: string, timeout_ms: number): Promise<StoreApp[] | undefined>
  /** Whether the provider stands by an assertion that a browser brought. */
  confirm(form: URLSearchParams, timeout_ms: number): Promise<boolean>
  /** Nothing when there is no page. */
  page(app_id: number, timeout_ms: number): Promise<StorePage | undefined>
  tags(app_id: number, timeout_ms: number): Promise<StoreTag[]>
}

export const imageHosts = ({ extstore_image_hosts }: Config): string[] =>
  extstore_image_hosts ?? IMAGE_HOSTS

/** The page of an app, as people link to it; whatever address the store is asked by. */
export const appUrl = (app_id: number) => `${STORE}/app/${app_id}/`

/** The number of an app, from the number itself or from a link to its page. */
export function readAppId({ extstore_store_url }: Config, value: unknown): number | undefined {
  const text =
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const digits = /^\d{1,10}$/.test(text)
    ? text
    : linkedApp(text, [STORE, extstore_store_url ?? STORE])
  const app_id = Number(digits)
  return Number.isInteger(app_id) && app_id > 0 && app_id <= MOST_APP_ID ? app_id : undefined
}

function linkedApp(text: string, stores: string[]): string | undefined {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)
  const is_store =
    url &&
    ['http:', 'https:'].includes(url.protocol) &&
    stores.some((store) => new URL(store).host === url.host)
  return is_store ? /^\/(?:agecheck\/)?app\/(\d{1,10})(?:\/|$)/.exec(url.pathname)?.[1] : undefined
}

export const openidUrl = ({ extstore_openid_url }: Config) => extstore_openid_url ?? OPENID

export function createWire(config: Config): Wire {
  const api = config.extstore_api_url ?? API
  const openid = openidUrl(config)
  const store = config.extstore_store_url ?? STORE
  const public_api = config.extstore_public_api_url ?? PUBLIC_API
  const outbound = createOutbound({
    trusted_origins: [api, openid, store, public_api],
    keep_alive: true,
  })
  const read = (url: string, timeout_ms: number) =>
    ask(outbound, { url, timeout_ms, max_bytes: MOST_PAGE_BYTES }).then(json)
  const get = (
    key: string,
    path: string,
    query: Record<string, string>,
    timeout_ms: number,
    max_bytes = MOST_BYTES,
  ) =>
    ask(outbound, {
      url: `${api}/${path}/?${Object.entries(query)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join('&')}`,
      headers: { 'x-webapi-key': key },
      timeout_ms,
      max_bytes,
    })
  return {
    async authenticate(key, { app_id, ticket, identity }, timeout_ms) {
      const answer = await get(
        key,
        'ISteamUserAuth/AuthenticateUserTicket/v1',
        { appid: String(app_id), ticket, identity },
        timeout_ms,
      )
      return readTicket(json(answer)) ?? (answer.resent ? spentOrNot() : undefined)
    },
    async ownership(key, { app_id, extstore_id }, timeout_ms) {
      const answer = await get(
        key,
        'ISteamUser/CheckAppOwnership/v4',
        { steamid: extstore_id, appid: String(app_id) },
        timeout_ms,
      )
      return readOwnership(json(answer))
    },
    async apps(key, timeout_ms) {
      const answer = await get(
        key,
        'ISteamApps/GetPartnerAppListForWebAPIKey/v2',
        {},
        timeout_ms,
        MOST_APPS_BYTES,
      ).catch(nothingIfRefused)
      return answer && readApps(json(answer))
    },
    async confirm(form, timeout_ms) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const body = form.toString()
      const answer = await ask(outbound, {
        url: `${openid}/login`,
        method: 'POST',
        headers,
        body,
        timeout_ms,
        max_bytes: MOST_BYTES,
      })
      return /^is_valid\s*:\s*true\s*$/m.test(answer.body.toString())
    },
    async page(app_id, timeout_ms) {
      return readPageAnswer(
        await read(`${store}/api/appdetails?appids=${app_id}&cc=us&l=english`, timeout_ms),
        app_id,
      )
    },
    async tags(app_id, timeout_ms) {
      const asked = {
        ids: [{ appid: app_id }],
        context: { language: 'english', country_code: 'US' },
        data_request: { include_tag_count: TAGS_ASKED },
      }
      const [items, names] = await Promise.all([
        read(
          `${public_api}/IStoreBrowseService/GetItems/v1/?input_json=${encodeURIComponent(JSON.stringify(asked))}`,
          timeout_ms,
        ),
        read(`${public_api}/IStoreService/GetTagList/v1/?language=english`, timeout_ms),
      ])
      const weights = readTagWeights(items, app_id) ?? strange('has no tags')
      return nameTags(weights, readTagNames(names) ?? strange('has no names of tags'))
    },
  }
}

async function ask(
  outbound: Outbound,
  request: Parameters<Outbound['request']>[0],
): Promise<OutboundAnswer> {
  const answer = await outbound.request(request).catch((error) => {
    if (!(error instanceof OutboundError)) throw error
    const kind = error.kind === 'too_large' ? 'strange' : 'away'
    throw new StoreFailure(kind, error.message, { can_retry: error.kind === 'timeout' })
  })
  const { status } = answer
  if (status === 200) return answer
  const message = `The external store answered ${status}`
  if (status === 401 || status === 403) throw new StoreFailure('key_refused', message)
  if (status === 429)
    throw new StoreFailure('busy', message, { retry_after_ms: retryAfter(answer) })
  throw new StoreFailure(status >= 500 ? 'away' : 'strange', message, { can_retry: status >= 500 })
}

/** A ticket works once: refused the second time it was sent, it may have been accepted the first time, and nobody knows. */
export const spentOrNot = (): never => {
  throw new StoreFailure(
    'away',
    'The external store refused a ticket that had been sent to it before',
  )
}

const nothingIfRefused = (error: unknown) => {
  if (error instanceof StoreFailure && error.kind === 'key_refused') return undefined
  throw error
}

function retryAfter({ headers }: OutboundAnswer): number | undefined {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined
}

type Fields = Record<string, unknown>
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const strange = (what: string): never => {
  throw new StoreFailure('strange', `The external store's answer ${what}`)
}

function json({ body }: OutboundAnswer): Fields {
  try {
    const value = JSON.parse(body.toString())
    if (isRecord(value)) return value
  } catch {
    // told below
  }
  return strange('is not a JSON object')
}

const part = (fields: Fields, name: string): Fields => {
  const value = fields[name]
  return isRecord(value) ? value : strange(`lacks ${name}`)
}
const flag = (fields: Fields, name: string): boolean => {
  const value = fields[name]
  return typeof value === 'boolean' ? value : strange(`has no true or false in ${name}`)
}
const account = (fields: Fields, name: string): string => {
  const value = fields[name]
  return isAccountId(value) ? value : strange(`has no account in ${name}`)
}

export function readTicket(answer: Fields): Ticket | undefined {
  const response = part(answer, 'response')
  if (response.error !== undefined) return undefined
  const params = part(response, 'params')
  if (params.result !== 'OK') strange('is not OK')
  return {
    extstore_id: account(params, 'steamid'),
    owner_extstore_id: account(params, 'ownersteamid'),
    vac: flag(params, 'vacbanned'),
    publisher_banned: flag(params, 'publisherbanned'),
  }
}

export function readOwnership(answer: Fields): Ownership {
  const found = part(answer, 'appownership')
  if (found.result !== 'OK') strange('is not OK')
  const owns_app = flag(found, 'ownsapp')
  return {
    owns_app,
    permanent: owns_app && flag(found, 'permanent'),
    owner_extstore_id: owns_app ? account(found, 'ownersteamid') : null,
  }
}

/** A key that covers nothing has no list at all, or null for one. */
export function readApps(answer: Fields): StoreApp[] {
  const app = part(part(answer, 'applist'), 'apps').app ?? []
  if (!Array.isArray(app)) return strange('has no list of apps')
  return app.flatMap((entry) => {
    if (!isRecord(entry) || !Number.isSafeInteger(entry.appid)) return []
    return {
      app_id: entry.appid as number,
      app_type: String(entry.app_type ?? ''),
      app_name: String(entry.app_name ?? ''),
    }
  })
}

/** Nothing for an app without a page. A page of another app than was asked for is no answer. */
export function readPageAnswer(answer: Fields, app_id: number): StorePage | undefined {
  const { success, data } = part(answer, String(app_id))
  if (success === false) return undefined
  if (success !== true || !isRecord(data)) return strange('has no page')
  if (typeof data.steam_appid === 'number' && data.steam_appid !== app_id)
    return strange('is about another app')
  return readStorePage(data)
}
